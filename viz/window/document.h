// What the window has open: a debugger prompt with its session, and the settings that led to it.
// The window stands on the prompt, so that whatever one can type there acts on the same session,
// and session files are the same.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "viz/terminal/debug_prompt.h"

namespace flashscope::window {

class Document {
 public:
  explicit Document(const ProblemOptions& options);
  ~Document();
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  Debugger& debugger() { return prompt_->debugger(); }
  const Debugger& debugger() const { return prompt_->debugger(); }
  const Scenario& scenario() const { return prompt_->scenario(); }
  const ProblemOptions& options() const { return prompt_->options(); }

  // Another problem, algorithm or table. Breakpoints stay where the new table has their line; the
  // op stays where problem and algorithm do. Throws Error, and then all is as before.
  void change(const ProblemOptions& options);
  // A lesson shows what does not fit on chip as well, but makes no tensors of more than a gigabyte.
  void set_lesson(bool open) { in_lesson_ = open; }
  bool can_undo() const { return current_ > 0; }
  bool can_redo() const { return current_ + 1 < history_.size(); }
  void undo();
  void redo();

  // Session files. Throw Error; a file that can't be opened leaves all as it was.
  void open(const std::string& path);
  void save(const std::string& path) const { prompt_->save(path); }

  // A line for the debugger prompt; what it prints, or why it fails, is added to the transcript.
  // Returns the latter, or "".
  std::string type(const std::string& line);
  const std::vector<std::string>& transcript() const { return transcript_; }

  // Another number whenever debugger() is another object.
  std::uint64_t version() const { return prompt_->generation(); }

 private:
  struct Settings {
    ProblemOptions options;
    std::int64_t position = 0;
  };
  terminal::DebugPrompt::Source source() const;
  void collect_output();
  void return_to(std::size_t place);
  // The present options are new settings; behind them lies where one was.
  void remember(std::int64_t position_before);

  std::FILE* output_ = nullptr;  // what commands print, collected in memory
  char* printed_ = nullptr;
  std::size_t printed_size_ = 0, printed_seen_ = 0;
  bool in_lesson_ = false;
  std::optional<terminal::DebugPrompt> prompt_;
  std::vector<Settings> history_;  // behind current_: those that redo brings back
  std::size_t current_ = 0;
  std::vector<std::string> transcript_;
};

}  // namespace flashscope::window
