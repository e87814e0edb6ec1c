// Expressions over facts and the state of a session; see evaluate.h.
#include "lessons/engine/evaluate.h"

#include <algorithm>

#include <fmt/format.h>

#include "lessons/engine/facts_list.h"
#include "sim/error.h"

namespace flashscope::lessons {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

// The names with a point in them, each once: fa2.load_bytes, not row(0).m and not 1.5.
std::vector<std::string> dotted_names(std::string_view text) {
  std::vector<std::string> names;
  std::size_t at = 0;
  while (at < text.size()) {
    if (!is_word(text[at])) {
      const bool member = text[at] == '.';
      ++at;
      while (member && at < text.size() && is_word(text[at])) ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && (is_word(text[at]) || text[at] == '.')) ++at;
    std::string name(text.substr(begin, at - begin));
    if (is_digit(name[0]) || name.find('.') == std::string::npos || name.back() == '.') continue;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

// Calls `action`; what goes wrong is told in one line, with the expression in front.
template <typename Action>
auto told_of(const std::string& expression, Action action) {
  try {
    return action();
  } catch (const Error& error) {
    const std::string_view whole = error.what();
    throw Error(fmt::format("{}: {}", expression, whole.substr(0, whole.find('\n'))));
  }
}

}  // namespace

class LessonExpression::View final : public expression::StateView {
 public:
  View(const LessonExpression& expression, const expression::StateView* state)
      : expression_(expression), state_(state) {}

  double scalar(int index) const override {
    const int of_facts = index - expression_.session_scalars_;
    if (of_facts < 0) return state().scalar(index);
    const UsedFact& used = expression_.used_[static_cast<std::size_t>(of_facts)];
    return used.scenario->fact(used.fact);
  }
  expression::TileRef tile(int index) const override { return state().tile(index); }
  std::optional<std::int64_t> local_row(int tile, std::int64_t row) const override {
    return state().local_row(tile, row);
  }

 private:
  const expression::StateView& state() const {
    if (state_ == nullptr) throw Error("it looks at a place, but no scenario is open here");
    return *state_;
  }
  const LessonExpression& expression_;
  const expression::StateView* state_;
};

LessonExpression::LessonExpression(const std::string& text, const Facts& facts,
                                   const Program* program)
    : text_(text) {
  told_of(text_, [&] {
    expression::StateVocabulary vocabulary;
    if (program != nullptr) vocabulary = session_vocabulary(*program);
    session_scalars_ = static_cast<int>(vocabulary.scalars.size());
    for (const std::string& name : dotted_names(text_)) {
      const std::size_t point = name.find('.');
      const ScenarioFacts& scenario = facts.find(name.substr(0, point));
      used_.push_back({&scenario, find_fact(name.substr(point + 1)).name.name});
      vocabulary.scalars.push_back(name);
    }
    parsed_ = expression::StateExpression::parse(text_, vocabulary);
  });
}

bool LessonExpression::reads_state() const {
  const std::vector<int> scalars = parsed_->scalars_used();
  return !parsed_->tiles_used().empty() ||
         (!scalars.empty() && scalars.front() < session_scalars_);
}

double LessonExpression::value(const expression::StateView* state) const {
  return told_of(text_, [&] { return parsed_->value(View(*this, state)); });
}

bool LessonExpression::condition(const expression::StateView* state) const {
  return told_of(text_, [&] { return parsed_->condition(View(*this, state)); });
}

expression::StateValue LessonExpression::evaluate(const expression::StateView* state) const {
  return told_of(text_, [&] { return parsed_->evaluate(View(*this, state)); });
}

double evaluate(const std::string& expression, const Facts& facts, const Debugger* debugger) {
  if (debugger == nullptr) return LessonExpression(expression, facts, nullptr).value(nullptr);
  const SessionView view = debugger->view();
  return LessonExpression(expression, facts, &debugger->program()).value(&view);
}

bool holds(const std::string& condition, const Facts& facts, const Debugger* debugger) {
  if (debugger == nullptr) return LessonExpression(condition, facts, nullptr).condition(nullptr);
  const SessionView view = debugger->view();
  return LessonExpression(condition, facts, &debugger->program()).condition(&view);
}

}  // namespace flashscope::lessons
