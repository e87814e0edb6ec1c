// See debug_input.h.
#include "viz/terminal/debug_input.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <readline/history.h>
#include <readline/readline.h>

#include "viz/terminal/debug_prompt.h"

namespace flashscope::terminal {
namespace {

// readline's completion has no user pointer; there is one prompt at a time.
const Debugger* completion_source = nullptr;

std::vector<std::string> completions() {
  std::vector<std::string> words;
  for (const auto& command : DebugPrompt::commands()) words.emplace_back(command.name);
  if (completion_source == nullptr) return words;
  const auto& vocabulary = completion_source->vocabulary();
  words.insert(words.end(), vocabulary.scalars.begin(), vocabulary.scalars.end());
  words.insert(words.end(), vocabulary.tiles.begin(), vocabulary.tiles.end());
  for (const char* topic : {"breakpoints", "line", "tiles", "traffic", "sram", "rows"}) {
    words.emplace_back(topic);
  }
  return words;
}

char* next_completion(const char* text, int state) {
  static std::vector<std::string> words;
  static std::size_t next = 0;
  if (state == 0) {
    words = completions();
    next = 0;
  }
  while (next < words.size()) {
    const std::string& word = words[next++];
    if (word.starts_with(text)) return strdup(word.c_str());
  }
  return nullptr;
}

}  // namespace

std::optional<std::string> typed_line(const std::string& prompt, const Debugger* names) {
  rl_attempted_completion_function = [](const char* text, int, int) {
    return rl_completion_matches(text, next_completion);
  };
  completion_source = names;
  char* const typed = readline(prompt.c_str());
  completion_source = nullptr;
  if (typed == nullptr) return std::nullopt;
  std::string line = typed;
  std::free(typed);
  if (line.find_first_not_of(' ') != std::string::npos) add_history(line.c_str());
  return line;
}

}  // namespace flashscope::terminal
