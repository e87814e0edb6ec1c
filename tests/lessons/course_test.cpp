// The lessons of the course: everything that they say holds.
#include "lessons/engine/course.h"

#include <set>
#include <string>

#include <doctest/doctest.h>

#include "lessons/engine/check.h"
#include "sim/error.h"

using namespace flashscope;
using namespace flashscope::lessons;

namespace {

bool has_section(const Lesson& lesson, const std::string& title) {
  for (const Block& block : lesson.blocks) {
    const auto* prose = std::get_if<Prose>(&block);
    if (prose == nullptr) continue;
    for (const TextBlock& text : prose->blocks) {
      if (text.kind == TextBlock::Kind::heading && text.level == 2 &&
          plain_text(text.text) == title) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

TEST_CASE("every lesson of the course holds") {
  REQUIRE(course_files().size() >= 15);
  int number = 0;
  std::set<int> known;
  for (const CourseFile& file : course_files()) {
    const std::string name(file.file);
    CAPTURE(name);
    try {
      const Lesson lesson = parse_lesson(std::string(file.text), name);
      CHECK(lesson.number > number);
      number = lesson.number;
      CHECK(lesson.minutes > 0);
      CHECK(!lesson.about.empty());
      for (const int needed : lesson.needs) CHECK(known.contains(needed));  // one before it
      known.insert(lesson.number);
      CHECK(has_section(lesson, "Try next"));
      CHECK(has_section(lesson, "Sources"));
      CHECK(!lesson.teacher.empty());
      const CheckReport report = check(lesson);
      for (const auto& mistake : report.mistakes) {
        FAIL_CHECK(name << ":" << mistake.line << ": " << mistake.reason);
      }
      for (const auto& hint : report.hints) {
        FAIL_CHECK(name << ":" << hint.line << ": hint: " << hint.reason);
      }
    } catch (const Error& error) {
      FAIL_CHECK(error.what());
    }
  }
}
