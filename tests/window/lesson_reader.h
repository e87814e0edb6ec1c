// What the tests of lessons share: the lesson of tests/data that has every kind of block, and what
// a reader does with one.
#pragma once

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/window/test_window.h"
#include "viz/window/commands.h"

namespace flashscope::window_tests {

using namespace flashscope::lessons;

inline const std::string kLesson = FLASHSCOPE_SOURCE_DIR "/tests/data/lessons/window_lesson.md";

inline const LessonPlayer& player(Person& p) { return p.app().lesson_player(); }

// The n-th block of a kind, as the lesson counts all its blocks.
template <typename Kind>
std::size_t block_of(const LessonPlayer& player, std::size_t n) {
  const std::vector<Block>& blocks = player.lesson().blocks;
  for (std::size_t at = 0; at < blocks.size(); ++at) {
    if (std::holds_alternative<Kind>(blocks[at]) && n-- == 0) return at;
  }
  FAIL("the lesson has no such block");
  return 0;
}

inline std::string item(const std::string& what, std::size_t block) {
  return fmt::format("//Lesson/**/##{} {}", what, block);
}

inline void turn_to(Person& p, const std::string& title) {
  while (player(p).sections()[player(p).section()].title != title) {
    REQUIRE(player(p).section() + 1 < player(p).sections().size());
    p.click("//Lesson/###lesson next");
    p.wait(2);
  }
  p.wait_until([&] { return !p.app().has_unfinished_work(); });
}

}  // namespace flashscope::window_tests
