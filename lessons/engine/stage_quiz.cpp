// Which options of a quiz are right, and in which order they are shown; see stage.h.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lessons/engine/stage.h"

namespace flashscope::lessons {
namespace {

// FNV-1a: the same on every machine.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return hash;
}

// Sorted by a hash that the question takes part in: the author's order shows nothing.
void shuffle(std::vector<ShownOption>& options, const std::string& question) {
  const auto key = [&](const ShownOption& option) {
    return hash_of(question + '\n' + option.text);
  };
  std::stable_sort(options.begin(), options.end(),
                   [&](const ShownOption& a, const ShownOption& b) { return key(a) < key(b); });
}

ShownOption number_option(const QuizBlock& quiz, const QuizOption& option, const Facts& facts,
                          const Debugger* debugger) {
  const double value = evaluate(option.expression.text, facts, debugger);
  if (std::isnan(value)) {
    throw Error(
        fmt::format("{}: there is nothing at this place (it is nan)", option.expression.text));
  }
  if (option.right && std::isinf(value)) {
    throw Error(fmt::format("{}: the answer is infinite", option.expression.text));
  }
  return {format_value(value, quiz.unit, quiz.digits), option.right, option.why};
}

// As a reader sees it: no marks, blanks as one, capital letters as small ones.
std::string seen(const std::string& text) {
  std::string result;
  for (const char c : plain_text(parse_inline(text))) {
    const bool blank = c == ' ' || c == '\n' || c == '\t';
    if (blank && (result.empty() || result.back() == ' ')) continue;
    result += blank ? ' ' : (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
  }
  while (result.ends_with(' ')) result.pop_back();
  return result;
}

// Numbers are the same in any form, "1,000 B" and "1 kB", and where they differ by rounding only.
bool reads_same(const std::string& a, const std::string& b, bool statements) {
  if (a == b) return true;
  if (statements) return seen(a) == seen(b);
  const auto first = parse_stated(a), second = parse_stated(b);
  return first && second &&
         std::abs(first->value - second->value) <= 1e-12 * std::abs(first->value);
}

void require_different(const QuizBlock& quiz, const std::vector<ShownOption>& options) {
  for (std::size_t a = 0; a < options.size(); ++a) {
    for (std::size_t b = a + 1; b < options.size(); ++b) {
      if (!reads_same(options[a].text, options[b].text, quiz.statements)) continue;
      const bool answer = options[a].right || options[b].right;
      throw LessonError("", quiz.options[b].expression.line,
                        answer ? fmt::format("quiz: '{}' reads '{}', as the answer does",
                                             quiz.options[b].expression.text, options[b].text)
                               : fmt::format("quiz: two options read '{}'", options[b].text));
    }
  }
}

}  // namespace

ShownQuiz show_quiz(const QuizBlock& quiz, const Facts& facts, const Debugger* debugger) {
  ShownQuiz shown;
  for (const QuizOption& option : quiz.options) {
    try {
      if (quiz.statements) {
        shown.options.push_back(
            {option.text, holds(option.expression.text, facts, debugger), option.why});
      } else {
        shown.options.push_back(number_option(quiz, option, facts, debugger));
      }
    } catch (const Error& error) {
      throw LessonError("", option.expression.line, fmt::format("quiz: {}", error.what()));
    }
  }
  require_different(quiz, shown.options);
  const auto right = std::count_if(shown.options.begin(), shown.options.end(),
                                   [](const ShownOption& option) { return option.right; });
  if (right != 1) {
    throw LessonError("", quiz.line,
                      fmt::format("quiz: {} options are right here, but exactly one must be",
                                  right == 0 ? "no" : std::to_string(right)));
  }
  shuffle(shown.options, plain_text(quiz.question));
  const auto found = std::find_if(shown.options.begin(), shown.options.end(),
                                  [](const ShownOption& option) { return option.right; });
  shown.right = static_cast<std::size_t>(found - shown.options.begin());
  return shown;
}

}  // namespace flashscope::lessons
