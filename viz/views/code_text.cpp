// Words and their kinds; see code_text.h.
#include "viz/views/code_text.h"

#include <algorithm>
#include <array>

namespace flashscope::views {
namespace {

using std::string_view;

constexpr auto kTableWords = std::to_array<string_view>(
    {"algorithm", "hbm",  "shared", "registers", "estimate",  "default", "phase",
     "grid",      "for",  "all",    "unseen",    "when",      "and",     "not",
     "first",     "last", "full",   "partial",   "empty",     "load",    "store",
     "from",      "to",   "mask",   "cast",      "exp",       "max",     "rowmax",
     "rowsum",    "ln",   "if",     "ascending", "descending"});

constexpr auto kCppWords = std::to_array<string_view>({"alignas",
                                                       "auto",
                                                       "bool",
                                                       "break",
                                                       "case",
                                                       "char",
                                                       "class",
                                                       "const",
                                                       "constexpr",
                                                       "continue",
                                                       "default",
                                                       "do",
                                                       "double",
                                                       "else",
                                                       "enum",
                                                       "extern",
                                                       "false",
                                                       "float",
                                                       "for",
                                                       "friend",
                                                       "if",
                                                       "inline",
                                                       "int",
                                                       "namespace",
                                                       "nullptr",
                                                       "operator",
                                                       "private",
                                                       "public",
                                                       "reinterpret_cast",
                                                       "return",
                                                       "sizeof",
                                                       "static",
                                                       "static_assert",
                                                       "static_cast",
                                                       "struct",
                                                       "switch",
                                                       "template",
                                                       "true",
                                                       "typename",
                                                       "unsigned",
                                                       "using",
                                                       "void",
                                                       "while",
                                                       "__device__",
                                                       "__global__",
                                                       "__shared__",
                                                       "__launch_bounds__"});

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_number_part(char c) { return is_digit(c) || is_letter(c) || c == '.' || c == '\''; }

// Spans of a line up to `end`, where a comment begins: words and numbers by `ink_of`, and what
// lies between two spaces otherwise.
template <typename InkOf>
void add_words(CodeLine& line, std::size_t end, InkOf ink_of) {
  const string_view text = line.text;
  std::size_t at = 0;
  while (at < end) {
    const std::size_t begin = at;
    const char c = text[at];
    if (is_space(c)) {
      ++at;
      continue;
    }
    Ink ink = Ink::plain;
    if (is_letter(c)) {
      while (at < end && (is_letter(text[at]) || is_digit(text[at]))) ++at;
      ink = ink_of(text.substr(begin, at - begin));
    } else if (is_digit(c)) {
      while (at < end && is_number_part(text[at])) ++at;
      ink = Ink::number;
    } else {
      while (at < end && !is_space(text[at]) && !is_letter(text[at]) && !is_digit(text[at])) ++at;
    }
    line.spans.push_back({begin, at, ink});
  }
}

void add_rest(CodeLine& line, std::size_t begin, Ink ink) {
  if (begin < line.text.size()) line.spans.push_back({begin, line.text.size(), ink});
}

template <std::size_t N>
bool contains(const std::array<string_view, N>& words, string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

std::vector<string_view> lines_of(string_view text) {
  std::vector<string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text = end == string_view::npos ? string_view() : text.substr(end + 1);
  }
  return lines;
}

std::vector<CodeLine> table_lines(string_view text, std::span<const Buffer> buffers) {
  const auto ink_of = [&](string_view word) {
    const bool tensor = std::any_of(buffers.begin(), buffers.end(),
                                    [&](const Buffer& b) { return b.name == word; });
    if (tensor) return Ink::tensor;
    return contains(kTableWords, word) ? Ink::keyword : Ink::plain;
  };
  std::vector<CodeLine> lines;
  for (const string_view source : lines_of(text)) {
    CodeLine line{std::string(source), {}};
    const std::size_t comment = std::min(source.find('#'), source.size());
    add_words(line, comment, ink_of);
    add_rest(line, comment, Ink::comment);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<CodeLine> cpp_lines(string_view text) {
  const auto ink_of = [](string_view word) {
    return contains(kCppWords, word) ? Ink::keyword : Ink::plain;
  };
  std::vector<CodeLine> lines;
  for (const string_view source : lines_of(text)) {
    CodeLine line{std::string(source), {}};
    const std::size_t first = std::min(source.find_first_not_of(' '), source.size());
    if (source.substr(first).starts_with('#')) {  // the preprocessor's
      add_rest(line, first, Ink::keyword);
    } else {
      const std::size_t comment = std::min(source.find("//"), source.size());
      add_words(line, comment, ink_of);
      const bool marker = source.substr(comment).starts_with("//> ");
      add_rest(line, comment, marker ? Ink::marker : Ink::comment);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

int columns_of(string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

}  // namespace flashscope::views
