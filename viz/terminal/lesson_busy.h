// A terminal while a lesson computes: what takes longer than half a second says so, and keys typed
// in the meantime are neither shown nor carried out.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace flashscope::terminal {

class LessonBusy {
 public:
  // `what` is told, such as "opening B4 H16 N8192 D64". Nothing is to be printed while this lives.
  // Without a terminal it does nothing.
  LessonBusy(bool at_terminal, std::string what);
  ~LessonBusy();
  // Another text, unless one has been told.
  void say(std::string what);
  LessonBusy(const LessonBusy&) = delete;
  LessonBusy& operator=(const LessonBusy&) = delete;

 private:
  void wait();

  std::string what_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false, told_ = false;
  std::thread thread_;
};

}  // namespace flashscope::terminal
