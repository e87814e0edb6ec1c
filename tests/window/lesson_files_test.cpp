// Lessons as files: the course and its list, a file of one's own, a broken one; what is remembered,
// and the layout that a lesson has.
#include <algorithm>
#include <fstream>
#include <imgui.h>

#include "sim/error.h"
#include "tests/window/lesson_reader.h"
#include "viz/window/palette.h"

namespace flashscope::window_tests {

TEST_CASE("lesson: every lesson of the course can be read to its end") {
  TestWindow window({.lesson = "1"});
  window.run([&](Person& p) {
    for (const LessonPlayer::Entry& entry : player(p).course()) {
      CAPTURE(entry.file);
      p.app().open_lesson(entry.file);
      while (player(p).is_open()) {
        const LessonSection& section = player(p).sections()[player(p).section()];
        CAPTURE(section.title);
        p.wait_until([&] { return !p.app().has_unfinished_work(); });
        for (const LessonSection::Item& part : section.items) {
          const LessonPlayer::Played& played = player(p).played(part.block);
          CHECK(played.error == "");
          CHECK(played.refused == "");
          if (const auto stop = player(p).next_stop()) {
            p.app().go_to_lesson_stop();
            p.wait(2);
            CHECK(player(p).last_stop() == stop);
            CHECK(p.position() == player(p).played(*stop).position);
          }
        }
        if (p.app().dialogs().is_open()) {
          FAIL_CHECK(p.app().dialogs().message());
          p.press(ImGuiKey_Enter);
          p.wait(2);
        }
        const std::size_t before = player(p).section();
        p.press(find_command("lesson_next").key);
        p.wait(2);
        if (player(p).is_open()) REQUIRE(player(p).section() == before + 1);
      }
    }
  });
}

TEST_CASE("lesson: a broken file is explained, and the session and the open lesson stay") {
  const WorkingFolder folder;
  std::ofstream("broken.md") << "# Title\n\n```toml\n[lesson]\nminutes = 5\nabout = \"x\"\n```\n\n"
                                "Words.\n\n```toml\n[stop]\ntitel = \"Typo\"\n```\n";
  std::ofstream("empty.md");
  std::ofstream("headings.md")
      << "# Title\n\n```toml\n[lesson]\nminutes = 5\nabout = \"x\"\n```\n\n"
         "## Nothing below\n";
  std::ofstream("binary.md") << std::string("\x00\xff\xfe\x01", 4);
  TestWindow window({.lesson = kLesson});
  window.app().go_to(5);
  for (const std::string name :
       {"broken.md", "empty.md", "headings.md", "binary.md", "missing.md"}) {
    CAPTURE(name);
    window.drop({folder / name});
    window.run([&](Person& p) {
      p.wait(2);
      REQUIRE(p.app().dialogs().is_open());
      CHECK(p.app().dialogs().message().find(name) != std::string::npos);
      if (name == "broken.md") {
        CHECK(p.app().dialogs().message().find("broken.md:1") != std::string::npos);
      }
      CHECK(p.position() == 5);
      REQUIRE(player(p).is_open());
      CHECK(player(p).lesson().title == "A lesson for the window");
      p.press(ImGuiKey_Enter);
      p.wait(2);
    });
  }
}

TEST_CASE("lesson: a dropped file opens, and what was read is remembered") {
  const WorkingFolder folder;
  std::filesystem::copy_file(kLesson, folder / "mine.md");
  const std::filesystem::path progress = folder / "state/lessons.json";
  const auto setup = [&] { return TestWindow::Setup{.progress = progress}; };
  {
    TestWindow window(setup());
    CHECK_FALSE(window.app().is_open(panel_index("Lesson")));
    window.drop({folder / "mine.md"});
    window.run([&](Person& p) {
      CHECK(p.app().is_open(panel_index("Lesson")));
      turn_to(p, "A question");
      const std::size_t quiz = block_of<QuizBlock>(player(p), 0);
      const std::size_t right = player(p).played(quiz).quiz->right;
      p.click(item("option", quiz) + fmt::format(" {}", right));
      p.wait(2);
      CHECK(player(p).note() == "");
    });
  }
  {
    TestWindow window(setup());
    window.drop({folder / "mine.md"});
    window.run([&](Person& p) {
      p.wait_until([&] { return !p.app().has_unfinished_work(); });
      CHECK(player(p).sections()[player(p).section()].title == "A question");
      const std::size_t quiz = block_of<QuizBlock>(player(p), 0);
      CHECK_FALSE(player(p).holds_back(quiz));
      CHECK(player(p).progress().right == 1);
      // To the list; a lesson that was closed begins where it stopped.
      p.click("//Lesson/All lessons##lesson list");
      p.wait(2);
      CHECK_FALSE(player(p).is_open());
    });
  }
}

TEST_CASE("lesson: the list has the lessons beside the file that was opened last") {
  const WorkingFolder folder;
  std::filesystem::copy_file(kLesson, folder / "mine.md");
  std::ofstream("broken.md") << "# Title\n\n```toml\n[lesson]\nminuts = 5\n```\n";
  std::ofstream("notes.md") << "# No lesson\n\nWords.\n";
  TestWindow window({.height = 2200});
  CHECK(window.app().lesson_player().own().empty());
  window.run([&](Person& p) {
    p.app().open_lesson("1");  // one of the course
    CHECK(player(p).own().empty());
    p.app().open_lesson("mine.md");
    REQUIRE(player(p).own().size() == 2);
    CHECK(player(p).own_folder() == std::filesystem::current_path());
    CHECK(player(p).own()[0].title == "broken.md");
    CHECK(player(p).own()[0].error.find("minuts") != std::string::npos);
    CHECK(player(p).own()[1].title == "A lesson for the window");
    CHECK(player(p).own()[1].error == "");
    p.wait(4);
    p.click("//Lesson/All lessons##lesson list");
    p.wait(4);
    p.click("//Lesson/**/##own mine.md");
    p.wait(4);
    REQUIRE(player(p).is_open());
    CHECK(player(p).lesson().title == "A lesson for the window");
  });
}

TEST_CASE("lesson: its commands are found by that word, the list of lessons first") {
  const std::vector<const Command*> found = matching_commands("lesson");
  REQUIRE(found.size() >= 5);
  CHECK(found[0]->name == "lesson");
  CHECK(found[1]->title == "Lesson");
  for (const std::string name : {"lesson_stop", "lesson_next", "lesson_back"}) {
    CAPTURE(name);
    CHECK(std::ranges::find(found, name, &Command::name) != found.end());
    CHECK(find_command(name).key != ImGuiKey_None);
  }
}

TEST_CASE("lesson: a session file opened beside it leaves the lesson its freedoms") {
  const WorkingFolder folder;
  // More than there is room for on chip: a lesson may show it, and nobody else.
  const auto enlarge = [](Person& p) {
    ProblemOptions large = p.app().document().options();
    large.problem.clear();
    large.q_len = large.kv_len = large.q_tile = large.kv_tile = 256;
    large.head_dim = 512;
    large.device = "a100-80";
    p.app().change(large);
  };
  {
    TestWindow plain({.height = 900});
    plain.run([&](Person& p) {
      p.wait(4);
      CHECK_THROWS_AS(enlarge(p), Error);
    });
  }
  TestWindow window({.lesson = kLesson});
  window.run([&](Person& p) {
    p.wait(4);
    p.app().document().save("session.json");
    p.app().open("session.json");
    p.wait(2);
    CHECK_NOTHROW(enlarge(p));
    CHECK(p.program().problem().q_len == 256);
  });
}

TEST_CASE("lesson: the layout to learn in has an arrangement of its own with a lesson") {
  const WorkingFolder folder;
  TestWindow plain({.storage = folder / "config"});
  plain.run([&](Person& p) {
    p.wait(4);
    const ImVec4 before = p.rectangle("//Program");
    p.app().open_lesson(kLesson);
    p.wait(6);
    const ImVec4 lesson = p.rectangle("//Lesson");
    CHECK(lesson.z - lesson.x >= 340);
    CHECK(p.rectangle("//Memory hierarchy").x >= lesson.z);
    p.click("//Lesson/All lessons##lesson list");
    p.wait(2);
    p.press(find_command("layout_learn").key);
    p.wait(6);
    CHECK_FALSE(p.app().is_open(panel_index("Lesson")));
    CHECK(p.rectangle("//Program").x == before.x);
    CHECK(p.rectangle("//Program").z == before.z);
  });
}

TEST_CASE("lesson: the list has the course, and opens its lessons") {
  TestWindow window({.height = 1560});
  window.run([&](Person& p) {
    p.press(find_command("lesson").key);
    p.wait(4);
    REQUIRE(p.app().is_open(panel_index("Lesson")));
    REQUIRE_FALSE(player(p).course().empty());
    for (const LessonPlayer::Entry& entry : player(p).course()) {
      CAPTURE(entry.file);
      CHECK(entry.error == "");
      p.click("//Lesson/**/##lesson " + entry.file);
      p.wait(4);
      REQUIRE(player(p).is_open());
      CHECK(player(p).lesson().title == entry.title);
      p.click("//Lesson/All lessons##lesson list");
      p.wait(2);
    }
    p.click("//Lesson/**/Open a lesson from a file…##lesson file");
    p.wait(2);
    p.enter("//###dialog/##path", kLesson);
    p.wait(2);
    CHECK_FALSE(p.app().dialogs().is_open());
    CHECK(player(p).lesson().title == "A lesson for the window");
  });
}

}  // namespace flashscope::window_tests
