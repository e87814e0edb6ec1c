// Likeness of words.
#include "sim/expression/nearest_name.h"

#include <doctest/doctest.h>

using namespace flashscope;

TEST_CASE("edit distance counts letters to insert, remove or replace") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("alpah", "alpha") == 2);
}

TEST_CASE("the nearest name is suggested when at most half of the letters change") {
  CHECK(nearest_name("alpah", {"l", "alpha", "alphabet"}) == "did you mean 'alpha'?");
  CHECK(nearest_name("ab", {"ax", "ay"}) == "did you mean 'ax'?");
  CHECK(nearest_name("q", {"m", "l", "m"}) == "known: l, m");
  CHECK(nearest_name("q", {}) == "known: ");
}
