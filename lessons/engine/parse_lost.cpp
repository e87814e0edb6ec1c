// See parse_lost.h.
#include "lessons/engine/parse_lost.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "lessons/engine/parse_toml.h"
#include "sim/expression/nearest_name.h"
#include "sim/io/message_text.h"
#include "sim/setup/parse_values.h"

namespace flashscope::lessons {
namespace {

constexpr std::string_view kToml = "toml";
constexpr std::string_view kShown = "text";  // the label of code that may show anything
constexpr std::string_view kBlanks = " \t\r";

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string_view trimmed(std::string_view text, std::string_view off = kBlanks) {
  const std::size_t begin = text.find_first_not_of(off);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(off) - begin + 1);
}

// "stop" of "[ stop ]  # where it stops"; empty when the line is no such header.
std::string table_of(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with('[')) return "";
  const std::size_t brackets = line.starts_with("[[") ? 2 : 1;
  const std::size_t end = line.find(']');
  if (end == std::string_view::npos || end < brackets) return "";
  const std::string name = lower(trimmed(line.substr(brackets, end - brackets), " \t\"'"));
  std::string_view rest = line.substr(end);
  for (std::size_t n = 0; n < brackets && rest.starts_with(']'); ++n) rest.remove_prefix(1);
  rest = trimmed(rest);
  if (!rest.empty() && !rest.starts_with('#')) return "";
  const auto names = table_names();
  return std::find(names.begin(), names.end(), name) == names.end() ? "" : name;
}

// Whether a line is a fence of `least` marks or more, labelled toml.
bool is_toml_fence(std::string_view line, std::size_t least) {
  line = trimmed(line);
  if (line.empty() || (line[0] != '`' && line[0] != '~')) return false;
  const std::size_t marks = std::min(line.find_first_not_of(line[0]), line.size());
  if (marks < least) return false;
  const std::string label = lower(trimmed(line.substr(marks)));
  return label.starts_with(kToml) && label.find('`') == std::string::npos;
}

bool is_nearly_toml(const std::string& label) {
  if (label.find(kToml) != std::string::npos || edit_distance(label, kToml) <= 1) return true;
  return label.size() == kToml.size() &&
         std::is_permutation(label.begin(), label.end(), kToml.begin());
}

// A line without the marks of quotes and lists before it.
std::string_view without_marks(std::string_view line) {
  while (true) {
    line = trimmed(line);
    const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    const std::string_view mark = line.substr(digits, 2);
    if (digits > 0 && (mark == ". " || mark == ") ")) {
      line.remove_prefix(digits + 2);
    } else if (line.starts_with('>')) {
      line.remove_prefix(1);
    } else if (line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ")) {
      line.remove_prefix(2);
    } else {
      return line;
    }
  }
}

[[noreturn]] void fail_lost(const std::string& file, int line, const std::string& table) {
  fail_at(file, line,
          fmt::format("a block of [{}] without its label: begin it with ```toml", table));
}

void check_code(const TextBlock& block, const std::string& file) {
  const std::string label = lower(block.label);
  if (label == kShown) return;
  const bool is_toml = label == kToml;
  if (!is_toml && !label.empty() && is_nearly_toml(label)) {
    fail_at(
        file, block.line,
        fmt::format("the label {} is nearly toml: write ```toml", io::quoted_name(block.label)));
  }
  int line = block.line;
  for (const std::string& code : split_list(block.code, '\n')) {
    ++line;
    if (is_toml_fence(code, 3)) {
      fail_at(file, line,
              fmt::format("```toml inside the code block that begins in line {}: that one has no "
                          "closing ```, or its first ``` is none",
                          block.line));
    }
    const std::string table = is_toml ? "" : table_of(code);
    if (!table.empty()) fail_lost(file, block.line, table);
  }
}

}  // namespace

std::span<const std::string> table_names() {
  static const std::vector<std::string> kNames = {"lesson", "scenario", "scenarios", "stop",
                                                  "quiz",   "expect",   "task",      "figure"};
  return kNames;
}

void refuse_lost_blocks(std::string_view source, std::span<const TextBlock> blocks,
                        const std::string& file) {
  const std::vector<std::string> lines = split_list(std::string(source), '\n');
  std::vector<bool> is_code(lines.size() + 1);  // by line number, from 1
  for (const TextBlock& block : blocks) {
    if (block.kind != TextBlock::Kind::code || block.line < 1) continue;
    const auto first = static_cast<std::size_t>(block.line);
    if (first > lines.size()) continue;
    const bool fenced = lines[first - 1].find("```") != std::string::npos ||
                        lines[first - 1].find("~~~") != std::string::npos;
    const auto length =
        static_cast<std::size_t>(std::count(block.code.begin(), block.code.end(), '\n'));
    const std::size_t end = first + length + (fenced ? 2 : 0);
    for (std::size_t n = first; n < std::min(end, is_code.size()); ++n) is_code[n] = true;
    check_code(block, file);
  }
  for (std::size_t n = 1; n <= lines.size(); ++n) {
    if (is_code[n]) continue;
    const std::string_view line = without_marks(lines[n - 1]);
    const std::string table = table_of(line);
    if (!table.empty()) fail_lost(file, static_cast<int>(n), table);
    if (is_toml_fence(line, 1)) {
      fail_at(file, static_cast<int>(n),
              "this begins no toml block: write ```toml, on its own line");
    }
  }
}

}  // namespace flashscope::lessons
