// Expressions over facts and the state of a session; see evaluate.h.
#include "lessons/engine/evaluate.h"

#include <algorithm>

#include <fmt/format.h>

#include "lessons/engine/facts_list.h"
#include "lessons/engine/message.h"
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
    throw Error(fmt::format("{}: {}", expression, one_line_without(error.what(), expression)));
  }
}

// Whether the next op finds the chip as another q tile or work item has it.
bool between_q_tiles(const Session& session) {
  if (session.at_end() || session.position() != session.segment().first_op ||
      session.position() == 0) {
    return false;
  }
  const Segment before = session.program().op(session.position() - 1).segment;
  const Segment& next = session.segment();
  return before.q_tile != next.q_tile || before.work_item != next.work_item;
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

// Scalars where a session stands, tiles as the op before left them.
class LessonExpression::BehindView final : public expression::StateView {
 public:
  BehindView(const StateView& here, const StateView& behind) : here_(here), behind_(behind) {}
  double scalar(int index) const override { return here_.scalar(index); }
  expression::TileRef tile(int index) const override { return behind_.tile(index); }
  std::optional<std::int64_t> local_row(int tile, std::int64_t row) const override {
    return behind_.local_row(tile, row);
  }

 private:
  const StateView& here_;
  const StateView& behind_;
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
    try {
      parsed_ = expression::StateExpression::parse(text_, vocabulary);
    } catch (const Error& error) {
      const bool unknown = std::string_view(error.what()).starts_with("unknown name");
      if (unknown && !facts.has_here()) throw Error("it looks at a place, but no scenario is open");
      throw;
    }
  });
}

bool LessonExpression::reads_state() const {
  const std::vector<int> scalars = parsed_->scalars_used();
  return !parsed_->tiles_used().empty() || (!scalars.empty() && scalars.front() < session_scalars_);
}

template <typename Action>
auto LessonExpression::at_place(const Debugger* debugger, Action action) const {
  return told_of(text_, [&] {
    if (debugger == nullptr) return action(View(*this, nullptr));
    const Session& session = debugger->session();
    const SessionView here = debugger->view();
    if (parsed_->tiles_used().empty() || !between_q_tiles(session)) {
      return action(View(*this, &here));
    }
    // The session has moved on; another one looks while the op has just been done.
    Session behind(session.scenario(), session.program());
    behind.set_events(session.events());
    behind.seek(session.position() - 1);
    decltype(action(View(*this, nullptr))) result{};
    behind.step([&] {
      const SessionView tiles(behind, [&]() -> const Ledger& { return debugger->ledger(); });
      const BehindView view(here, tiles);
      result = action(View(*this, &view));
    });
    return result;
  });
}

double LessonExpression::value(const Debugger* debugger) const {
  return at_place(debugger, [&](const View& view) { return parsed_->value(view); });
}

bool LessonExpression::condition(const Debugger* debugger) const {
  return at_place(debugger, [&](const View& view) { return parsed_->condition(view); });
}

expression::StateValue LessonExpression::evaluate(const Debugger* debugger) const {
  return at_place(debugger, [&](const View& view) { return parsed_->evaluate(view); });
}

double LessonExpression::value(const expression::StateView& state) const {
  return told_of(text_, [&] { return parsed_->value(View(*this, &state)); });
}

double evaluate(const std::string& expression, const Facts& facts, const Debugger* debugger) {
  const Program* const program = debugger != nullptr ? &debugger->program() : nullptr;
  return LessonExpression(expression, facts, program).value(debugger);
}

bool holds(const std::string& condition, const Facts& facts, const Debugger* debugger) {
  const Program* const program = debugger != nullptr ? &debugger->program() : nullptr;
  return LessonExpression(condition, facts, program).condition(debugger);
}

}  // namespace flashscope::lessons
