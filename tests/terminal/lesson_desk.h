// Lessons of a test: a tiny one, and a desk to work at it.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include <doctest/doctest.h>

#include "command.h"

namespace flashscope::terminal_tests {

inline const std::string kTiny = FLASHSCOPE_SOURCE_DIR "/tests/data/lessons/07-tiny.md";

// A folder of the test's own, in which progress is kept too.
class Desk {
 public:
  Desk() {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Desk() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return file(name);
  }
  std::filesystem::path progress() const { return path_ / "flashscope" / "lessons.json"; }
  Surroundings surroundings(const std::string& input = "", int columns = 80) const {
    Surroundings result;
    result.environment = {"COLUMNS=" + std::to_string(columns), "XDG_STATE_HOME=" + path_.string()};
    result.folder = path_.string();
    result.input = input;
    return result;
  }
  Result lesson(const std::string& line, const std::string& input = "") const {
    return run_command(Arguments{"lesson"} + words(line), surroundings(input));
  }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("flashscope_lesson_" + std::to_string(getpid()));
};

inline std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline int line_of(const std::string& text, const std::string& part) {
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

// The right letter of the lesson's only quiz, which the program chooses.
inline char right_letter(const Desk& desk) {
  const std::string out = desk.lesson("show --answers " + kTiny).out;
  const std::size_t at = out.find("Answer ");
  REQUIRE(at != std::string::npos);
  return out[at + 7];
}

inline char wrong_letter(const Desk& desk) { return right_letter(desk) == 'A' ? 'B' : 'A'; }

// From the figure to the quiz: two steps that only want Enter.
inline const std::string kToQuiz = "\n\n";

}  // namespace flashscope::terminal_tests
