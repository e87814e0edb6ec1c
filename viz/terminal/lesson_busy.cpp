// See lesson_busy.h.
#include "viz/terminal/lesson_busy.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <termios.h>
#include <unistd.h>

#include <fmt/format.h>

#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

constexpr std::chrono::milliseconds kPatience{500};

// The terminal as it was; a signal handler has no other way to know.
termios usual;

// Ctrl+C leaves the terminal as the shell wants it.
void restore_and_end(int signal) {
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &usual);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void hide_typing() {
  if (tcgetattr(STDIN_FILENO, &usual) != 0) return;
  std::signal(SIGINT, restore_and_end);
  std::signal(SIGTERM, restore_and_end);
  termios silent = usual;
  silent.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL);
  tcsetattr(STDIN_FILENO, TCSANOW, &silent);
}

void show_typing(bool drop_typed) {
  tcsetattr(STDIN_FILENO, drop_typed ? TCSAFLUSH : TCSANOW, &usual);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace

LessonBusy::LessonBusy(bool at_terminal, std::string what) : what_(std::move(what)) {
  if (!at_terminal) return;
  std::fflush(stdout);
  hide_typing();
  thread_ = std::thread([this] { wait(); });
}

LessonBusy::~LessonBusy() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  thread_.join();
  if (told_) {
    fmt::print("\r\x1b[2K");
    std::fflush(stdout);
  }
  // Lines pasted in front of a quick command's answer are commands too.
  show_typing(told_);
}

void LessonBusy::say(std::string what) {
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
}

void LessonBusy::wait() {
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, kPatience, [this] { return done_; })) return;
  told_ = true;
  fmt::print("  {}", styled(what_ + " …", Style::dim));
  std::fflush(stdout);
}

}  // namespace flashscope::terminal
