// What a condition looks at; see watched.h.
#include "lessons/engine/watched.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/io/number_text.h"

namespace flashscope::lessons {
namespace {

constexpr int kDigits = 4;
constexpr std::size_t kMostNumbersShown = 8;
constexpr const char* kNothing = "nothing yet";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// Where the bracket that opens at `at` is closed: behind it; the end of the text when it is not.
std::size_t behind_bracket(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '(' || text[at] == '[') ++depth;
    if ((text[at] == ')' || text[at] == ']') && --depth == 0) return at + 1;
  }
  return at;
}

std::size_t behind_number(std::string_view text, std::size_t at) {
  const auto is_exponent_sign = [&] {
    return (text[at] == '+' || text[at] == '-') && (text[at - 1] == 'e' || text[at - 1] == 'E');
  };
  const std::size_t begin = at;
  while (at < text.size() &&
         (is_word(text[at]) || text[at] == '.' || (at > begin && is_exponent_sign()))) {
    ++at;
  }
  return at;
}

// The names in an expression with what belongs to them: NAME.fact, S[1, 2], row(3).m, op. Names of
// functions, of operators and of numbers (inf, full) are none.
std::vector<std::string> names_in(std::string_view text, const expression::StateVocabulary& known) {
  std::vector<std::string> names;
  const auto is_no_name = [&](std::string_view name) {
    return name == "inf" || name == "and" || name == "or" || name == "not" ||
           std::any_of(known.words.begin(), known.words.end(),
                       [&](const expression::NamedNumber& word) { return word.name == name; });
  };
  for (std::size_t at = 0; at < text.size();) {
    if (is_digit(text[at])) {
      at = behind_number(text, at);
      continue;
    }
    if (!is_word(text[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    const auto to_end_of_word = [&] {
      while (at < text.size() && (is_word(text[at]) || text[at] == '.')) ++at;
    };
    to_end_of_word();
    const std::string_view word = text.substr(begin, at - begin);
    const std::size_t next = std::min(text.find_first_not_of(' ', at), text.size());
    if (next < text.size() && text[next] == '(') {
      if (word != "row") continue;
      at = behind_bracket(text, next);
      to_end_of_word();
    }
    if (at < text.size() && text[at] == '[') at = behind_bracket(text, at);
    const std::string name(text.substr(begin, at - begin));
    if (!is_no_name(name) && std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  return names;
}

// Whether a word stands at a place, as a whole.
bool is_word_at(std::string_view text, std::size_t at, std::string_view word) {
  if (text.substr(at, word.size()) != word || (at > 0 && is_word(text[at - 1]))) return false;
  return at + word.size() == text.size() || !is_word(text[at + word.size()]);
}

// Places of operators outside of brackets; << and >> are no comparisons.
struct Operator {
  std::size_t begin = 0, end = 0;
  bool compares = false;
};
std::vector<Operator> operators_in(std::string_view text) {
  std::vector<Operator> found;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    const std::string_view two = text.substr(at, 2);
    if (two == "<<" || two == ">>") {
      ++at;
    } else if (depth > 0) {
      continue;
    } else if (two == "&&" || two == "||" || is_word_at(text, at, "or")) {
      found.push_back({at, at + 2, false});
      ++at;
    } else if (is_word_at(text, at, "and")) {
      found.push_back({at, at + 3, false});
      at += 2;
    } else if (two == "<=" || two == ">=" || two == "==" || two == "!=") {
      found.push_back({at, at + 2, true});
      ++at;
    } else if (c == '<' || c == '>') {
      found.push_back({at, at + 1, true});
    }
  }
  return found;
}

// Both sides of every comparison.
std::vector<std::pair<std::string, std::string>> comparisons_in(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> sides;
  const std::vector<Operator> all = operators_in(text);
  for (std::size_t n = 0; n < all.size(); ++n) {
    if (!all[n].compares) continue;
    const std::size_t begin = n == 0 ? 0 : all[n - 1].end;
    const std::size_t end = n + 1 == all.size() ? text.size() : all[n + 1].begin;
    sides.emplace_back(trimmed(text.substr(begin, all[n].begin - begin)),
                       trimmed(text.substr(all[n].end, end - all[n].end)));
  }
  return sides;
}

Unit unit_of(std::string_view name) {
  for (const std::string_view binary : {".shared_bytes", ".shared_limit", "l2_bytes"}) {
    if (name.ends_with(binary)) return Unit::binary_bytes;
  }
  if (name.find('.') != std::string_view::npos && name.ends_with("_bytes")) return Unit::bytes;
  return name.ends_with(".measured_us") ? Unit::microseconds : Unit::none;
}

std::string number_text(double value, Unit unit) {
  const bool is_whole = value == std::trunc(value);
  return format_value(value, unit, unit == Unit::none && is_whole ? 0 : kDigits);
}

class Watch {
 public:
  Watch(const Facts& facts, const Debugger* debugger) : facts_(facts), debugger_(debugger) {}

  std::optional<LessonExpression> parsed(const std::string& expression) const {
    try {
      return LessonExpression(expression, facts_,
                              debugger_ != nullptr ? &debugger_->program() : nullptr);
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  // Nothing, when it is no expression of its own.
  void add(const std::string& expression, Unit unit) {
    const auto read = parsed(expression);
    if (!read) return;
    Entry entry{{expression, kNothing}, {}, unit};
    try {
      const expression::StateValue value = read->evaluate(debugger_);
      if (value.is_scalar && !std::isnan(value.numbers.at(0))) {
        entry.number = value.numbers[0];
        entry.shown.value = number_text(*entry.number, unit);
      } else {
        entry.shown.value = state_value_text(value);
      }
    } catch (const Error& error) {
      // A place where a tile is not there is no mistake; a fact that can't be computed has a
      // reason, behind the expression.
      const std::string_view reason = error.what();
      if (!read->reads_state()) {
        const std::size_t told = std::min(expression.size() + 2, reason.size());
        entry.shown.value = fmt::format("unknown ({})", reason.substr(told));
      }
    }
    entries_.push_back(std::move(entry));
  }

  std::vector<ShownValue> values() {
    std::vector<ShownValue> values;
    for (const Entry& entry : entries_) {
      values.push_back(entry.shown);
      if (reads_like_another(entry)) {
        values.back().value = format_value(*entry.number, entry.unit, 0);
      }
    }
    return values;
  }

 private:
  struct Entry {
    ShownValue shown;
    std::optional<double> number;
    Unit unit = Unit::none;
  };
  bool reads_like_another(const Entry& entry) const {
    if (!entry.number || *entry.number != std::trunc(*entry.number)) return false;
    return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& other) {
      return other.number && *other.number != *entry.number &&
             other.shown.value == entry.shown.value;
    });
  }

  const Facts& facts_;
  const Debugger* debugger_;
  std::vector<Entry> entries_;
};

}  // namespace

std::vector<ShownValue> watched(const std::string& condition, const Facts& facts,
                                const Debugger* debugger) {
  const auto known =
      debugger != nullptr ? session_vocabulary(debugger->program()) : expression::StateVocabulary();
  Watch watch(facts, debugger);
  if (!watch.parsed(condition)) return {};
  std::vector<std::string> said = names_in(condition, known);
  for (const std::string& name : said) watch.add(name, unit_of(name));
  for (const auto& [left, right] : comparisons_in(condition)) {
    for (const auto& [side, other] : {std::pair(left, right), std::pair(right, left)}) {
      if (names_in(side, known).empty()) continue;
      if (std::find(said.begin(), said.end(), side) != said.end()) continue;
      said.push_back(side);
      // What is held against bytes is bytes.
      watch.add(side, unit_of(other));
    }
  }
  return watch.values();
}

std::string watched_text(const std::vector<ShownValue>& values) {
  std::string text;
  for (const ShownValue& value : values) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", value.expression, value.value);
  }
  return text;
}

std::string state_value_text(const expression::StateValue& value) {
  const bool is_nothing = std::all_of(value.numbers.begin(), value.numbers.end(),
                                      [](double number) { return std::isnan(number); });
  if (is_nothing) return kNothing;
  if (value.is_scalar) return number_text(value.numbers[0], Unit::none);
  std::string text;
  for (std::size_t n = 0; n < std::min(value.numbers.size(), kMostNumbersShown); ++n) {
    text += fmt::format("{}{}", n == 0 ? "" : " ", io::short_number(value.numbers[n]));
  }
  return value.numbers.size() > kMostNumbersShown ? text + " …" : text;
}

}  // namespace flashscope::lessons
