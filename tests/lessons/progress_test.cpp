// A reader's progress survives what happens to files: missing, cut off, of another kind, read-only.
#include "lessons/engine/progress.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

#include "sim/error.h"

using flashscope::Error;
using flashscope::lessons::LessonProgress;
using flashscope::lessons::Progress;
namespace fs = std::filesystem;

namespace {

// Empty, and gone when the test is over.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("flashscope_progress_" + std::to_string(getpid()));
  Folder() {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
};

void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

const LessonProgress kSome{7, true, 3, 4, {{12, true}, {90, false}}};

}  // namespace

TEST_CASE("progress is what was kept, in a folder that is made") {
  const Folder folder;
  const fs::path file = folder.path / "not" / "there" / "lessons.json";
  Progress first(file);
  CHECK(first.note().empty());
  CHECK(first.of("tiling") == LessonProgress{});
  first.of("tiling") = kSome;
  first.keep();
  Progress second(file);
  CHECK(second.note().empty());
  CHECK(second.of("tiling") == kSome);
  CHECK(second.of("online-softmax") == LessonProgress{});
}

TEST_CASE("two readers at once keep each other's lessons") {
  const Folder folder;
  const fs::path file = folder.path / "lessons.json";
  Progress a(file), b(file);
  a.of("one") = kSome;
  b.of("two").block = 5;
  a.keep();
  b.keep();
  Progress both(file);
  CHECK(both.of("one") == kSome);
  CHECK(both.of("two").block == 5);
}

TEST_CASE("every way to damage the file sets it aside, and progress starts anew") {
  const Folder folder;
  const fs::path file = folder.path / "lessons.json";
  Progress whole(file);
  whole.of("tiling") = kSome;
  whole.keep();
  const std::string good = text_of(file);
  std::vector<std::string> damaged = {"", "null", "[]", "{}", "\xff\xfe", std::string(5000, '[')};
  for (std::size_t length = 1; length + 2 < good.size(); length += 7) {
    damaged.push_back(good.substr(0, length));
  }
  for (const auto& [from, to] :
       {std::pair{"7", "-7"}, std::pair{"7", "7.5"}, std::pair{"7", "99999999999"},
        std::pair{"7", "\"7\""}, std::pair{"true", "1"}, std::pair{"/1\"", "/9\""},
        std::pair{"\"block\"", "\"blocks\""}, std::pair{"\"line\"", "\"lines\""}}) {
    std::string text = good;
    text.replace(text.find(from), std::string(from).size(), to);
    damaged.push_back(text);
  }
  for (const std::string& text : damaged) {
    CAPTURE(text.substr(0, 200));
    write(file, text);
    Progress progress(file);
    CHECK(progress.note().find("damaged") != std::string::npos);
    CHECK(progress.note().find('\n') == std::string::npos);
    CHECK(progress.of("tiling") == LessonProgress{});
    CHECK(text_of(file.string() + ".damaged") == text);
    progress.of("tiling").block = 2;
    progress.keep();
    CHECK(Progress(file).of("tiling").block == 2);
  }
}

TEST_CASE("what can't be read is told and left alone, what can't be written is an Error") {
  const Folder folder;
  SUBCASE("a folder in the file's place") {
    const fs::path file = folder.path / "lessons.json";
    fs::create_directories(file);
    Progress progress(file);
    CHECK(progress.note().find("can't be read") != std::string::npos);
    progress.of("tiling").block = 1;
    CHECK_NOTHROW(progress.keep());
    CHECK(fs::is_directory(file));
  }
  SUBCASE("a file where the folder should be") {
    write(folder.path / "state", "mine");
    Progress progress(folder.path / "state" / "lessons.json");
    progress.of("tiling").block = 1;
    CHECK_THROWS_AS(progress.keep(), Error);
    CHECK(text_of(folder.path / "state") == "mine");
  }
  SUBCASE("no file at all") {
    Progress progress{fs::path()};
    progress.of("tiling").block = 1;
    CHECK_NOTHROW(progress.keep());
  }
}

TEST_CASE("the file lies in the user's state folder") {
  ::setenv("XDG_STATE_HOME", "/state", 1);
  CHECK(Progress::default_file() == "/state/flashscope/lessons.json");
  ::setenv("XDG_STATE_HOME", "relative", 1);
  ::setenv("HOME", "/home/someone", 1);
  CHECK(Progress::default_file() == "/home/someone/.local/state/flashscope/lessons.json");
  ::unsetenv("XDG_STATE_HOME");
  CHECK(Progress::default_file() == "/home/someone/.local/state/flashscope/lessons.json");
  ::unsetenv("HOME");
  CHECK(Progress::default_file().empty());
}

TEST_CASE("the first answer to a quiz counts; a task left open may be solved later") {
  LessonProgress progress;
  progress.answer(10, false, true);
  progress.answer(10, true, true);
  progress.answer(20, true, true);
  progress.answer(20, false, true);
  CHECK(progress.asked == 2);
  CHECK(progress.right == 1);
  CHECK(progress.answers == std::map<int, bool>{{10, false}, {20, true}});
  progress.answer(30, false, false);
  CHECK_FALSE(progress.answers.at(30));
  progress.answer(30, true, false);
  progress.answer(30, false, false);
  CHECK(progress.answers.at(30));
  CHECK(progress.asked == 2);
}
