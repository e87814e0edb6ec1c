// The panels that lessons may name are those of the window.
#include <algorithm>
#include <string_view>

#include <doctest/doctest.h>

#include "lessons/engine/lesson.h"
#include "viz/window/panel.h"

using namespace flashscope;

TEST_CASE("every panel but the lesson's own can be named by a lesson") {
  for (const std::string_view title : window::kPanelTitles) {
    const bool known = std::ranges::find(lessons::kPanelNames, title) != lessons::kPanelNames.end();
    CAPTURE(std::string(title));
    CHECK(known == (title != "Lesson"));
  }
  CHECK(lessons::kPanelNames.size() + 1 == window::kPanelTitles.size());
}
