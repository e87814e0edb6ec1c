// See document.h.
#include "viz/window/document.h"

#include <cstdlib>
#include <string_view>

#include "lessons/engine/facts.h"
#include "sim/error.h"

namespace flashscope::window {
namespace {

constexpr std::size_t kMostTranscript = 2000;  // lines

// Without the colour codes of a terminal.
std::string plain(std::string_view text) {
  std::string result;
  for (std::size_t n = 0; n < text.size(); ++n) {
    if (text[n] != '\033') {
      result += text[n];
      continue;
    }
    while (n < text.size() && text[n] != 'm') ++n;
  }
  return result;
}

}  // namespace

Document::Document(const ProblemOptions& options)
    : output_(open_memstream(&printed_, &printed_size_)) {
  if (output_ == nullptr) throw Error("out of memory");
  try {
    prompt_.emplace(options, output_, source());
  } catch (...) {
    std::fclose(output_);
    std::free(printed_);
    throw;
  }
  history_ = {{prompt_->options(), 0}};
}

terminal::DebugPrompt::Source Document::source() const {
  const terminal::DebugPrompt::Source usual = terminal::DebugPrompt::usual_source();
  terminal::DebugPrompt::Source source = usual;
  source.set_up = [this, usual](const ProblemOptions& options) {
    return in_lesson_ ? lessons::lesson_setup(options) : usual.set_up(options);
  };
  source.make_scenario = [this, usual](const Setup& setup, const ProblemOptions& options) {
    return in_lesson_ ? lessons::lesson_scenario(setup) : usual.make_scenario(setup, options);
  };
  return source;
}

Document::~Document() {
  prompt_.reset();
  std::fclose(output_);
  std::free(printed_);
}

void Document::change(const ProblemOptions& options) {
  const std::int64_t position = debugger().session().position();
  prompt_->change(options);
  collect_output();
  remember(position);
}

void Document::return_to(std::size_t place) {
  history_[current_].position = debugger().session().position();
  prompt_->change(history_[place].options);
  collect_output();
  debugger().go_to(std::min(history_[place].position, debugger().program().size()));
  current_ = place;
}

void Document::remember(std::int64_t position_before) {
  history_[current_].position = position_before;
  history_.resize(++current_);
  history_.push_back({options(), 0});
}

void Document::undo() {
  if (can_undo()) return_to(current_ - 1);
}

void Document::redo() {
  if (can_redo()) return_to(current_ + 1);
}

void Document::open(const std::string& path) {
  const std::int64_t position = debugger().session().position();
  prompt_->load(path);
  collect_output();
  remember(position);
}

std::string Document::type(const std::string& line) {
  const std::uint64_t before = version();
  const std::int64_t position = debugger().session().position();
  transcript_.push_back("(flashscope) " + line);
  std::string failure;
  try {
    if (!prompt_->execute(line)) transcript_.emplace_back("the window stays; close it with Ctrl+Q");
  } catch (const Error& error) {
    collect_output();
    failure = error.what();
    transcript_.push_back(failure);
  }
  collect_output();
  if (version() == before) return failure;
  remember(position);
  return failure;
}

void Document::collect_output() {
  std::fflush(output_);
  std::string_view fresh(printed_ + printed_seen_, printed_size_ - printed_seen_);
  printed_seen_ = printed_size_;
  while (!fresh.empty()) {
    const std::size_t end = fresh.find('\n');
    transcript_.push_back(plain(fresh.substr(0, end)));
    fresh.remove_prefix(end == std::string_view::npos ? fresh.size() : end + 1);
  }
  if (transcript_.size() > kMostTranscript) {
    transcript_.erase(transcript_.begin(),
                      transcript_.end() - static_cast<std::ptrdiff_t>(kMostTranscript));
  }
}

}  // namespace flashscope::window
