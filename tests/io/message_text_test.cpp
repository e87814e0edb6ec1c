// What names from outside look like in messages.
#include "sim/io/message_text.h"

#include <vector>

#include <doctest/doctest.h>

using namespace flashscope::io;

TEST_CASE("control characters are escaped and other characters kept") {
  CHECK(printable("a\nb\x1b[31m\x7f") == "a\\x0ab\\x1b[31m\\x7f");
  CHECK(printable("back\\slash") == "back\\x5cslash");
  CHECK(printable("größe") == "größe");
  // U+009B starts a terminal command as ESC [ does.
  CHECK(printable("\xC2\x9B") == "\xC2\\x9b");
}

TEST_CASE("a long name is cut between characters") {
  CHECK(quoted_name("q") == "'q'");
  const std::string cut = quoted_name(std::string(59, 'x') + "ößöß");
  CHECK(cut == "'" + std::string(59, 'x') + "…'");
}

TEST_CASE("a list shows eight names and counts the others") {
  CHECK(name_list(std::vector<std::string>{}) == "nothing");
  CHECK(name_list(std::vector<std::string>{"q", "k"}) == "'q', 'k'");
  const std::vector<std::string> many(11, "n");
  CHECK(name_list(many) == "'n', 'n', 'n', 'n', 'n', 'n', 'n', 'n' and 3 more");
}

TEST_CASE("a shape of many dimensions is only counted") {
  CHECK(describe_shape(std::vector<std::int64_t>{2, 3}) == "shape (2, 3)");
  CHECK(describe_shape(std::vector<std::int64_t>(9, 1)) == "9 dimensions");
}
