// `flashscope lesson take` at a terminal of 80 x 24, a real one as far as the program can tell: one
// screen at a time, and what is typed between screens.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <pty.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "command.h"

using namespace flashscope::terminal_tests;
namespace fs = std::filesystem;

namespace {

constexpr int kRows = 24, kColumns = 80;
constexpr const char* kMore = "(Enter: more) ";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Without colours and movements of the cursor.
std::string plain(const std::string& text) {
  std::string result;
  for (std::size_t n = 0; n < text.size(); ++n) {
    if (text[n] == '\r') continue;
    if (text[n] != '\x1b') {
      result += text[n];
      continue;
    }
    while (n + 1 < text.size() && !std::isalpha(static_cast<unsigned char>(text[n]))) ++n;
  }
  return result;
}

// The command on a terminal, in a folder of its own.
class Taken {
 public:
  explicit Taken(const std::string& lesson, const std::string& more = "") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(folder_ / "it.md") << lesson;
    start(more);
  }
  ~Taken() {
    end();
    fs::remove_all(folder_);
  }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;

  void start(const std::string& more) {
    std::vector<std::string> arguments = {FLASHSCOPE_BINARY, "lesson", "take", "it.md"};
    for (const std::string& word : words(more)) arguments.push_back(word);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const std::string state = "XDG_STATE_HOME=" + folder_.string();
    winsize size{};
    size.ws_row = kRows;
    size.ws_col = kColumns;
    child_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
    REQUIRE(child_ >= 0);
    if (child_ == 0) {
      // No bracketed paste: what readline prints around a prompt is not of interest.
      std::string term = "TERM=dumb", init = "INPUTRC=/dev/null", path = state;
      char* environment[] = {term.data(), init.data(), path.data(), nullptr};
      if (::chdir(folder_.c_str()) != 0) ::_exit(126);
      ::execve(argv[0], argv.data(), environment);
      ::_exit(127);
    }
  }

  void end() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    ::close(terminal_);
    child_ = -1;
  }

  // What appears up to one of the texts, that text included; fails when none does.
  std::string until(const std::string& wanted, const std::string& other = "") {
    std::string text;
    const auto is_there = [&] {
      return has(plain(text), wanted) || (!other.empty() && has(plain(text), other));
    };
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < deadline && !is_there()) {
      pollfd ready{terminal_, POLLIN, 0};
      if (::poll(&ready, 1, 100) <= 0) continue;
      char bytes[4096];
      const ssize_t count = ::read(terminal_, bytes, sizeof bytes);
      if (count <= 0) break;  // it has ended
      text.append(bytes, static_cast<std::size_t>(count));
    }
    CAPTURE(text);
    CHECK(is_there());
    return plain(text);
  }
  std::string typed(const std::string& line, const std::string& wanted) {
    send(line + "\n");
    return until(wanted);
  }
  void send(const std::string& keys) {
    REQUIRE(::write(terminal_, keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
  }

 private:
  fs::path folder_ = fs::temp_directory_path() / ("flashscope_taken_" + std::to_string(getpid()));
  int terminal_ = -1;
  pid_t child_ = -1;
};

const std::string kHead =
    "# A lesson\n\n```toml\n[lesson]\nminutes = 1\nabout = \"x\"\n```\n\n```toml\n[scenario]\n"
    "name = \"pencil\"\nproblem = \"pencil\"\n```\n\n";
const std::string kQuiz =
    "```toml\n[quiz]\nquestion = \"How much?\"\nanswer = \"1\"\nwrong = [ { value = \"2\" } "
    "]\n```\n\n";

std::string paragraphs(int count) {
  std::string text;
  for (int n = 1; n <= count; ++n) text += "Paragraph " + std::to_string(100 + n) + ".\nOn.\n\n";
  return text;
}

int last_paragraph(const std::string& text) {
  const std::size_t at = text.rfind("Paragraph ");
  return at == std::string::npos ? 0 : std::stoi(text.substr(at + 10, 3)) - 100;
}

}  // namespace

TEST_CASE("a command between two screens does not turn the page; Enter does") {
  Taken it(kHead + paragraphs(40) + kQuiz);
  const std::string first = it.until(kMore);
  CHECK(lines_of(first).size() <= kRows);
  const int shown = last_paragraph(first);
  CHECK(shown > 5);
  for (const char* command : {"help", "print 1+1", "nonsense", "B", "hint", "list"}) {
    CAPTURE(std::string(command));
    const std::string answer = it.typed(command, kMore);
    CHECK(last_paragraph(answer) == 0);
  }
  const std::string second = it.typed("", kMore);
  CHECK(has(second, "Paragraph " + std::to_string(101 + shown)));
  CHECK(lines_of(second).size() <= kRows);
}

TEST_CASE("q and Ctrl+D stop between any two screens, also of the last step, and keep the place") {
  // Two steps; the last one is prose.
  const std::string lesson = kHead + kQuiz + paragraphs(40) + "## Sources\n\nThe end.\n";
  for (const char* leave : {"q\n", "quit\n", "\x04"}) {
    CAPTURE(std::string(leave));
    Taken it(lesson, "--from 2");
    it.until(kMore);
    it.send(leave);
    const std::string end = it.until("Progress is kept");
    CHECK(has(end, "Stopped at step 2 of 2."));
    CHECK_FALSE(has(end, "Finished"));
    it.end();
    it.start("");
    const std::string again = it.until(kMore);
    CHECK(has(again, "You were at step 2"));
    // To the end: everything is read before it says so.
    std::string rest = it.typed("", kMore);
    for (int n = 0; n < 20 && !has(rest, "Finished"); ++n) {
      it.send("\n");
      rest += it.until(last_paragraph(rest) >= 30 ? "Progress is kept" : kMore);
    }
    CHECK(rest.find("The end.") < rest.find("Finished"));
  }
}

TEST_CASE("Ctrl+D at a question and at a task stops too") {
  Taken quiz(kHead + kQuiz + "Prose.\n");
  quiz.until("A-B? ");
  quiz.send("\x04");
  CHECK(has(quiz.until("Progress is kept"), "Stopped at step 1 of 2."));
  quiz.end();
  Taken task(kHead +
             "```toml\n[task]\ntext = \"x\"\nuntil = \"op > 3\"\n"
             "solution = { q-tile = 4 }\n```\n");
  task.until("(task) ");
  CHECK(has(task.typed("step", "(task) "), "op = 1"));
  task.send("\x04");
  CHECK(has(task.until("Progress is kept"), "Stopped at step 1 of 1."));
}

TEST_CASE("a table stays with its sentence and a heading with its text") {
  std::string table = "The sentence before\nthe table.\n\n| a | b |\n|---|---|\n";
  for (int n = 0; n < 8; ++n) table += "| row | " + std::to_string(n) + " |\n";
  for (int before = 1; before <= 8; ++before) {
    CAPTURE(before);
    Taken it(kHead + paragraphs(before) + "## A heading\n\nText of the heading.\n\n" + table +
             "\n" + paragraphs(12) + kQuiz);
    std::string rest;
    bool whole_table = false, headed = false;
    for (int n = 0; n < 6 && !(whole_table && headed); ++n) {
      const std::string screen = n == 0 ? it.until(kMore) : it.typed("", ") ");
      CAPTURE(screen);
      CHECK(has(screen, "The sentence before") == has(screen, "  row  0"));
      CHECK(has(screen, "  row  0") == has(screen, "  row  7"));
      CHECK(has(screen, "A heading") == has(screen, "Text of the heading"));
      whole_table = whole_table || has(screen, "  row  7");
      headed = headed || has(screen, "A heading");
    }
    CHECK(whole_table);
    CHECK(headed);
  }
}

TEST_CASE("a question is seen whole with what stands before it") {
  for (int before = 1; before <= 8; ++before) {
    CAPTURE(before);
    Taken it(kHead + paragraphs(before) + kQuiz);
    std::string screen = it.until(kMore, "A-B? ");
    while (!has(screen, "A-B? ")) {
      it.send("\n");
      screen = it.until(kMore, "A-B? ");
    }
    CHECK(has(screen, "How much?"));
    CHECK(lines_of(screen).size() <= kRows);
  }
}
