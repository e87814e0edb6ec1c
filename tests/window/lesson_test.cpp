// A lesson beside the session: its stops move it, its scenarios are changes of settings, its tasks
// see what the reader does there, and what was read is remembered.
#include <algorithm>
#include <fstream>
#include <imgui.h>

#include "sim/machine/count.h"
#include "tests/window/lesson_reader.h"
#include "viz/terminal/walk_text.h"
#include "viz/views/walk_words.h"

namespace flashscope::window_tests {
namespace {

float value(Person& p, const std::string& buffer, std::int64_t row) {
  return p.debugger().session().tile(p.program().algorithm().find(buffer, false)).at(row, 0);
}

}  // namespace

TEST_CASE("lesson: sections are read one after the other") {
  TestWindow window({.lesson = kLesson});
  window.run([&](Person& p) {
    p.wait(4);
    REQUIRE(player(p).is_open());
    std::vector<std::string> titles;
    for (const LessonSection& section : player(p).sections()) titles.push_back(section.title);
    CHECK(titles == std::vector<std::string>{"A lesson for the window", "Stops", "A question",
                                             "A task", "Figures"});
    CHECK(player(p).section() == 0);
    p.click("//Lesson/###lesson next");
    p.wait(2);
    CHECK(player(p).section() == 1);
    p.click("//Lesson/Back##lesson back");
    p.wait(2);
    CHECK(player(p).section() == 0);
    p.press(find_command("lesson_next").key);
    p.press(find_command("lesson_next").key);
    p.wait(2);
    CHECK(player(p).section() == 2);
    p.press(find_command("lesson_back").key);
    p.wait(2);
    CHECK(player(p).section() == 1);
    for (int n = 0; n < 4; ++n) {
      p.click("//Lesson/###lesson next");
      p.wait(2);
    }
    // Behind the last one it is finished, and the list of lessons is there again.
    CHECK_FALSE(player(p).is_open());
    CHECK(player(p).finished_title() == "A lesson for the window");
    CHECK(player(p).progress().finished);
  });
}

TEST_CASE("lesson: a stop moves the session, and what it shows is the session's") {
  TestWindow window({.lesson = kLesson});
  window.run([&](Person& p) {
    turn_to(p, "Stops");
    const std::size_t first = block_of<StopBlock>(player(p), 0);
    const int traffic = panel_index("Traffic");
    CHECK_FALSE(p.app().is_open(traffic));
    p.click(item("stop", first));
    p.wait(6);
    CHECK(player(p).last_stop() == first);
    CHECK(p.position() == player(p).played(first).position);
    // It stands behind the line, in the step it names.
    const Op before = p.program().op(p.position() - 1);
    CHECK(p.program().algorithm().lines[static_cast<std::size_t>(before.line)].text ==
          "alpha = exp(m - m_new)");
    CHECK(before.segment.q_tile == 0);
    CHECK(before.segment.kv_tile == 1);
    const auto& values = player(p).played(first).values;
    REQUIRE(values.size() == 2);
    CHECK(std::stod(values[0].value) == doctest::Approx(value(p, "m_new", 0)).epsilon(1e-3));
    CHECK(std::stod(values[1].value) == doctest::Approx(value(p, "alpha", 0)).epsilon(1e-3));
    // Rows, the Tile panel's buffer and the panels.
    CHECK(p.app().selection().rows == std::vector<std::int64_t>{0});
    CHECK(p.app().selection().tile == p.program().algorithm().find("S", false));
    CHECK(p.app().is_open(traffic));
    CHECK(p.app().is_open(panel_index("Softmax state")));
    // The ops of its step in words: the last one is the line.
    const auto& walk = player(p).played(first).walk;
    REQUIRE(walk.size() > 1);
    CHECK(walk.back().statement == "alpha = exp(m - m_new)");
    CHECK(walk.back().op + 1 == p.position());
    CHECK(walk.back().changes.front().target == "alpha[0]");
    // As `walk` has them: the step, the bytes before it, and those of each copy.
    const std::int64_t step = before.segment.first_op;
    CHECK(walk.front().op == step);
    CHECK(walk.front().place == "q tile 0, kv tile 1 (keys 2-3), full");
    CHECK(walk[1].place == "");
    CHECK(walk.front().load_bytes == ledger_before(p.program(), step).all_load_bytes());
    CHECK(walk.front().store_bytes == ledger_before(p.program(), step).all_store_bytes());
    CHECK(walk.front().load_bytes > 0);
    CHECK(walk.front().statement == "load K");
    CHECK(walk.front().copied_bytes == 16);  // 2 x 2 numbers of 4 bytes
    CHECK(walk.back().copied_bytes == 0);
    CHECK(player(p).played(first).next_place == "");
    // The next one by its key; then there is none.
    p.press(find_command("lesson_stop").key);
    p.wait(2);
    const std::size_t second = block_of<StopBlock>(player(p), 1);
    CHECK(player(p).last_stop() == second);
    CHECK(p.position() == player(p).played(second).position);
    CHECK(p.position() > player(p).played(first).position);
    p.press(find_command("lesson_stop").key);
    p.wait(2);
    CHECK(player(p).last_stop() == second);
  });
  window.keep_picture("lesson-stops");
}

TEST_CASE("lesson: a stop behind a work item says that the panels show the next one") {
  const WorkingFolder folder;
  std::ofstream("items.md")
      << "# Work items\n\n```toml\n[lesson]\nminutes = 1\nabout = \"x\"\n```\n\n"
         "```toml\n[scenario]\nname = \"s\"\nproblem = \"pencil\"\n"
         "algorithm = \"standard\"\n```\n\n"
         "```toml\n[stop]\ntitle = \"Behind\"\ntile = [0, 0]\nafter = \"store S\"\n```\n"
         "```toml\n[stop]\ntitle = \"Inside\"\ntile = [0, 1]\nafter = \"load K\"\n```\n";
  TestWindow window({.lesson = folder / "items.md"});
  window.run([&](Person& p) {
    p.wait_until([&] { return !p.app().has_unfinished_work(); });
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}}) {
      const std::size_t stop = block_of<StopBlock>(player(p), n);
      REQUIRE(player(p).played(stop).error == "");
      p.click(item("stop", stop));
      p.wait(4);
      const Segment next = p.program().op(p.position()).segment;
      CHECK(player(p).played(stop).next_place ==
            (n == 0 ? views::place_text(p.program(), next) : ""));
      CHECK(next.kv_tile == 1);
    }
  });
}

TEST_CASE("lesson: stops are reached by the keyboard alone") {
  TestWindow window({.lesson = kLesson});
  window.run([&](Person& p) {
    turn_to(p, "Stops");
    p.focus("Lesson");
    const std::size_t stop = block_of<StopBlock>(player(p), 0);
    for (int n = 0; n < 12 && !p.has_focus(item("stop", stop)); ++n) {
      p.press(ImGuiKey_Tab);
      p.wait(2);
    }
    REQUIRE(p.has_focus(item("stop", stop)));
    p.press(ImGuiKey_Enter);
    p.wait(4);
    CHECK(player(p).played(stop).visited);
  });
}

TEST_CASE("lesson: scenarios are changes of settings that undo takes back") {
  TestWindow window({.options = {"--q-len", "16", "--head-dim", "8"}, .lesson = kLesson});
  window.run([&](Person& p) {
    p.wait(4);
    CHECK(p.program().problem().q_len == 16);  // nothing changes before the first scenario
    p.app().go_to(9);
    turn_to(p, "Stops");
    CHECK(p.app().document().options().problem == "pencil");
    // At its beginning: nothing is on screen that the lesson will ask for.
    CHECK(p.position() == 0);
    p.app().go_to(7);
    turn_to(p, "A question");  // in the same scenario
    CHECK(p.position() == 7);
    p.click("//Lesson/Back##lesson back");
    p.wait(2);
    CHECK(p.position() == 7);
    p.press(find_command("undo").key);
    p.wait(2);
    CHECK(p.program().problem().q_len == 16);
    CHECK_FALSE(p.app().document().can_undo());
    // A stop needs its scenario, and brings it back; going to others changes no settings.
    p.click(item("stop", block_of<StopBlock>(player(p), 0)));
    p.wait(4);
    CHECK(p.program().problem().q_len == 4);
    p.click(item("stop", block_of<StopBlock>(player(p), 1)));
    p.wait(4);
    p.press(find_command("undo").key);
    p.wait(2);
    CHECK(p.program().problem().q_len == 16);
    CHECK_FALSE(p.app().document().can_undo());
    p.press(find_command("redo").key);
    p.wait(2);
    CHECK(p.program().problem().q_len == 4);
    // What was set by hand is gone at a stop: it shows the lesson's numbers.
    const std::size_t stop = block_of<StopBlock>(player(p), 0);
    p.app().go_to(player(p).played(stop).position - 3);
    REQUIRE(p.app().type("set m[0] = 2.5") == "");
    p.click(item("stop", stop));
    p.wait(4);
    CHECK(p.debugger().session().events().empty());
    CHECK(std::stod(player(p).played(stop).values[1].value) ==
          doctest::Approx(value(p, "alpha", 0)).epsilon(1e-3));
  });
}

TEST_CASE("lesson: a question holds back what follows until it is answered") {
  TestWindow window({.lesson = kLesson});
  window.run([&](Person& p) {
    turn_to(p, "A question");
    const std::size_t quiz = block_of<QuizBlock>(player(p), 0);
    REQUIRE(player(p).played(quiz).quiz.has_value());
    const ShownQuiz& shown = *player(p).played(quiz).quiz;
    REQUIRE(shown.options.size() == 3);
    CHECK(player(p).holds_back(quiz));
    // The right one is what the debugger says there.
    p.app().go_to(player(p).played(block_of<StopBlock>(player(p), 0)).position + 1);
    CHECK(std::stod(shown.options[shown.right].text) ==
          doctest::Approx(value(p, "l", 0)).epsilon(1e-3));
    const std::size_t wrong = shown.right == 0 ? 1 : 0;
    p.click(item("option", quiz) + fmt::format(" {}", wrong));
    p.wait(2);
    CHECK(player(p).holds_back(quiz));
    CHECK(player(p).played(quiz).chosen == std::vector<std::size_t>{wrong});
    p.click(item("option", quiz) + fmt::format(" {}", shown.right));
    p.wait(2);
    CHECK_FALSE(player(p).holds_back(quiz));
    CHECK(player(p).progress().asked == 1);
    CHECK(player(p).progress().right == 0);  // at the first try
  });
}

TEST_CASE("lesson: tasks are done when the session is as they ask") {
  TestWindow window({.lesson = kLesson});
  window.run([&](Person& p) {
    turn_to(p, "A task");
    const std::size_t loads = block_of<TaskBlock>(player(p), 0);
    const std::size_t place = block_of<TaskBlock>(player(p), 1);
    p.wait(2);
    CHECK_FALSE(player(p).played(loads).done);
    // What the conditions look at, as it is now.
    const auto values = [&](std::size_t task) {
      std::vector<std::string> texts;
      for (const ShownValue& value : player(p).played(task).values) {
        texts.push_back(value.expression + " = " + value.value);
      }
      return texts;
    };
    CHECK(values(loads) ==
          std::vector<std::string>{"here.load_bytes = 160 B", "pencil.load_bytes = 160 B"});
    REQUIRE(values(place).size() == 3);
    CHECK(values(place)[0] == "op = 0");
    p.app().go_to(5);
    p.wait(2);
    CHECK(values(place)[0] == "op = 5");
    p.click(fmt::format("//Lesson/**/Hint##hint {}", loads));
    p.wait(2);
    CHECK(player(p).played(loads).hinted);
    p.focus("Controls");
    p.wait(2);
    p.enter("//Controls/Schedule/##q-tile", "4");
    p.wait(4);
    CHECK(player(p).played(loads).done);
    CHECK(values(loads).empty());
    // Done is done, also when the reader goes back.
    p.press(find_command("undo").key);
    p.wait(4);
    CHECK(player(p).played(loads).done);
    CHECK_FALSE(player(p).played(place).done);
    REQUIRE(p.app().type("goto tile 0 1") == "");
    p.wait(2);
    while (!player(p).played(place).done && !p.debugger().session().at_end()) {
      p.press(find_command("step").key);
      p.wait(2);
    }
    REQUIRE(player(p).played(place).done);
    CHECK(value(p, "alpha", 1) == 1);
    const LessonProgress& progress = player(p).progress();
    const auto line = [&](std::size_t block) {
      return std::get<TaskBlock>(player(p).lesson().blocks[block]).line;
    };
    CHECK(progress.answers.at(line(loads)));  // with a hint
    CHECK(progress.answers.at(line(place)));
    CHECK(progress.asked == 0);
  });
}

TEST_CASE("lesson: every figure is there, and a scenario opens from its button") {
  TestWindow window({.lesson = kLesson, .height = 1500});
  window.run([&](Person& p) {
    turn_to(p, "Figures");
    using Kind = FigureBlock::Kind;
    std::vector<Kind> kinds;
    for (std::size_t n = 0; n < player(p).lesson().blocks.size(); ++n) {
      const LessonPlayer::Played& played = player(p).played(n);
      CHECK(played.error == "");
      if (!played.figure) continue;
      kinds.push_back(played.figure->kind);
      CHECK(played.figure->alt != "");
      if (played.figure->kind == Kind::kernel || played.figure->kind == Kind::table) {
        CHECK(std::ranges::any_of(played.figure->code, &Figure::CodeLine::marked) ==
              (played.figure->kind == Kind::kernel));
      }
    }
    CHECK(kinds == std::vector<Kind>{Kind::bars, Kind::steps, Kind::tiles, Kind::budget,
                                     Kind::table, Kind::kernel});
    CHECK_FALSE(p.app().document().options().causal);
    const std::size_t causal = block_of<ScenarioBlock>(player(p), 3);
    p.click(fmt::format("//Lesson/**/Open it##scenario {}", causal));
    p.wait(4);
    CHECK(p.app().document().options().causal);
    CHECK(player(p).opened_scenario() == causal);
  });
  window.keep_picture("lesson-figures");
}

}  // namespace flashscope::window_tests
