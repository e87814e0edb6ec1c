// Movement with breakpoints; see debugger.h.
#include "sim/debugger/debugger.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/expression/nearest_name.h"
#include "sim/machine/count.h"

namespace flashscope {
namespace {

std::string trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return std::string(text);
}

std::string value_text(const expression::StateExpression& watched, const SessionView& view) {
  try {
    const expression::StateValue value = watched.evaluate(view);
    std::string text;
    for (const double number : value.numbers) {
      text += fmt::format("{}{:.9g}", text.empty() ? "" : " ", number);
    }
    return text;
  } catch (const Error&) {
    return "";  // not there: a row of another tile, say
  }
}

std::optional<LineKind> kind_of(const std::string& name) {
  for (const Form& form : forms()) {
    if (name_of(form.kind) == name) return form.kind;
  }
  return std::nullopt;
}

}  // namespace

Debugger::Debugger(const Scenario& scenario, const Program& program)
    : scenario_(scenario), session_(scenario, program), vocabulary_(session_vocabulary(program)) {}

const Ledger& Debugger::ledger() const {
  if (!ledger_ || ledger_position_ != session_.position()) {
    ledger_ = ledger_before(program(), session_.position());
    ledger_position_ = session_.position();
  }
  return *ledger_;
}

std::int64_t Debugger::op_of_tile(std::int64_t q_tile, std::int64_t kv_tile) const {
  const TileMap& map = program().tile_map(0, 0);
  if (q_tile < 0 || q_tile >= map.q_tiles() || kv_tile < 0 || kv_tile >= map.kv_tiles()) {
    throw Error(fmt::format("tile {} {}: there are q tiles 0 to {} and kv tiles 0 to {}", q_tile,
                            kv_tile, map.q_tiles() - 1, map.kv_tiles() - 1));
  }
  const Segment& here = session_.segment();
  std::int64_t found = -1;
  program().visit_chain({here.batch, here.head, q_tile}, [&](const Segment& segment) {
    const bool meets = segment.part == Part::step && segment.q_tile == q_tile &&
                       segment.kv_tile == kv_tile && !segment.lines.empty();
    if (meets && found < 0) found = segment.first_op;
  });
  if (found < 0) {
    throw Error(fmt::format("q tile {} never visits kv tile {}: the mask leaves it empty", q_tile,
                            kv_tile));
  }
  return found;
}

// Keeps the ledger, and looks at the state while it is still that of the op.
void Debugger::step(const std::function<void()>& executed) {
  if (session_.at_end()) return;
  const Segment segment = session_.segment();
  const std::int64_t op = session_.position();
  const int line = segment.lines[static_cast<std::size_t>(op - segment.first_op)];
  const bool last = op + 1 == segment.first_op + static_cast<std::int64_t>(segment.lines.size());
  const bool looks = last && has_prefix_truth(program(), segment) &&
                     std::any_of(breakpoints_.begin(), breakpoints_.end(), [](const Breakpoint& b) {
                       return b.kind == Breakpoint::Kind::wrong && b.enabled;
                     });
  const bool keeps_ledger = ledger_ && ledger_position_ == op;
  if (keeps_ledger) {
    add_op(program(), segment, line, *ledger_);
    ++ledger_position_;
  }
  departure_.reset();
  const Line& executed_line = program().algorithm().lines[static_cast<std::size_t>(line)];
  written_ = executed_line.kind == LineKind::store ? -1 : executed_line.result;
  entered_segment_ = last;
  jumped_ = false;
  if (!looks && !executed) {
    session_.step();
    return;
  }
  session_.step([&] {
    if (looks) departure_ = departure(segment);
    if (executed) executed();
  });
}

bool Debugger::may_have_changed(const Breakpoint& breakpoint) const {
  const Dependencies& depends = breakpoint.depends;
  return jumped_ || entered_segment_ || depends.every_op ||
         std::find(depends.buffers.begin(), depends.buffers.end(), written_) !=
             depends.buffers.end();
}

std::optional<Departure> Debugger::departure(const Segment& finished) const {
  std::vector<std::int64_t> rows;
  const IndexRange held = program().q_rows(finished);
  for (std::int64_t row = held.begin; row < held.end; ++row) rows.push_back(row);
  return first_departure(prefix_truth(scenario_, program(), session_.machine(), finished, rows),
                         program().precision());
}

Breakpoint Debugger::parse_place(const std::string& place) const {
  Breakpoint breakpoint;
  if (place == "wrong") {
    breakpoint.kind = Breakpoint::Kind::wrong;
    if (!program().algorithm().estimate) {
      throw Error(fmt::format("break wrong: the table {} has no `estimate` line to compare with",
                              program().algorithm().name));
    }
    return breakpoint;
  }
  if (place.empty()) {
    breakpoint.kind = Breakpoint::Kind::condition;
    return breakpoint;
  }
  const std::vector<Line>& lines = program().algorithm().lines;
  int number = 0;
  const auto [end, code] = std::from_chars(place.data(), place.data() + place.size(), number);
  if (code == std::errc() && end == place.data() + place.size()) {
    breakpoint.source_line = number;
    const bool known = std::any_of(lines.begin(), lines.end(),
                                   [&](const Line& line) { return line.source_line == number; });
    if (!known)
      throw Error(fmt::format("line {} of the table holds no statement; see list", number));
    return breakpoint;
  }
  if (const auto kind = kind_of(place)) {
    breakpoint.kind = Breakpoint::Kind::operation;
    breakpoint.operation = *kind;
    return breakpoint;
  }
  for (const Line& line : lines) {
    if (!line.text.starts_with(place)) continue;
    breakpoint.source_line = line.source_line;
    return breakpoint;
  }
  std::vector<std::string> names = {"wrong"};
  for (const Form& form : forms()) names.emplace_back(name_of(form.kind));
  throw Error(
      fmt::format("break {}: no line number, no beginning of a statement and no kind of "
                  "operation; {}",
                  place, nearest_name(place, names)));
}

int Debugger::add_breakpoint(const std::string& where, bool temporary) {
  const std::string text = trimmed(where);
  std::string place = text, condition;
  if (text.starts_with("if ")) {
    place.clear();
    condition = text.substr(3);
  } else if (const std::size_t found = text.find(" if "); found != std::string::npos) {
    place = trimmed(text.substr(0, found));
    condition = text.substr(found + 4);
  }
  if (place.empty() && trimmed(condition) == "wrong") {
    place = "wrong";  // `break if wrong`
    condition.clear();
  }
  if (place.empty() && condition.empty()) {
    throw Error("break: write a line number, a kind of operation, `wrong`, or `if EXPRESSION`");
  }
  Breakpoint breakpoint = parse_place(place);
  if (!condition.empty()) {
    breakpoint.condition = expression::StateExpression::parse_condition(condition, vocabulary_);
    breakpoint.depends = dependencies(*breakpoint.condition, program());
  }
  breakpoint.id = next_id_++;
  breakpoint.temporary = temporary;
  breakpoint.text = text;
  breakpoints_.push_back(std::move(breakpoint));
  return breakpoints_.back().id;
}

int Debugger::add_watch(const std::string& text) {
  Breakpoint watch;
  watch.kind = Breakpoint::Kind::watch;
  watch.condition = expression::StateExpression::parse(text, vocabulary_);
  watch.depends = dependencies(*watch.condition, program());
  // A row that is not here now may come; one that never does would be waited for in vain.
  try {
    watch.condition->evaluate(view());
  } catch (const Error& error) {
    if (std::string_view(error.what()).find("there are rows") != std::string_view::npos) throw;
  }
  watch.id = next_id_++;
  watch.text = trimmed(text);
  breakpoints_.push_back(std::move(watch));
  return breakpoints_.back().id;
}

void Debugger::remove_breakpoint(int id) {
  const auto removed = std::erase_if(breakpoints_, [&](const Breakpoint& b) { return b.id == id; });
  if (removed == 0) throw Error(fmt::format("there is no breakpoint {}", id));
}

bool Debugger::place_matches(const Breakpoint& breakpoint) const {
  if (session_.at_end()) return false;
  const Segment& segment = session_.segment();
  const auto n = static_cast<std::size_t>(session_.position() - segment.first_op);
  const Line& line = program().algorithm().lines[static_cast<std::size_t>(segment.lines[n])];
  switch (breakpoint.kind) {
    case Breakpoint::Kind::line:
      return line.source_line == breakpoint.source_line;
    case Breakpoint::Kind::operation:
      return line.kind == breakpoint.operation;
    case Breakpoint::Kind::condition:
      return true;
    case Breakpoint::Kind::wrong:
    case Breakpoint::Kind::watch:
      break;
  }
  return false;
}

std::vector<std::string> Debugger::watched_values() const {
  std::vector<std::string> values;
  for (const Breakpoint& breakpoint : breakpoints_) {
    values.push_back(breakpoint.kind == Breakpoint::Kind::watch && breakpoint.enabled
                         ? value_text(*breakpoint.condition, view())
                         : "");
  }
  return values;
}

// `watched` holds the watches' values before the last op, and then those of now.
std::optional<Debugger::Hit> Debugger::hit_here(std::vector<std::string>& watched) {
  std::optional<Hit> hit;
  for (std::size_t n = 0; n < breakpoints_.size(); ++n) {
    const Breakpoint& breakpoint = breakpoints_[n];
    if (!breakpoint.enabled) continue;
    if (breakpoint.kind == Breakpoint::Kind::watch) {
      if (!may_have_changed(breakpoint)) continue;
      const std::string before =
          std::exchange(watched[n], value_text(*breakpoint.condition, view()));
      // A value that comes into view, or leaves it, has not changed.
      if (hit || before.empty() || watched[n].empty() || before == watched[n]) continue;
      hit = Hit{session_.position(), breakpoint.id,
                fmt::format("{}: {} -> {}", breakpoint.text, before, watched[n])};
    } else if (breakpoint.kind == Breakpoint::Kind::wrong) {
      if (hit || !departure_) continue;
      if (breakpoint.condition && !breakpoint.condition->condition(view())) continue;
      const Departure& off = *departure_;
      const std::string what =
          off.column < 0 ? "m + ln l" : fmt::format("O[{}] over the keys so far", off.column);
      hit = Hit{session_.position(), breakpoint.id,
                fmt::format("row {}: {} is {:.6g}, fp64 says {:.6g}", off.row, what, off.here,
                            off.truth)};
    } else {
      if (hit || !place_matches(breakpoint)) continue;
      const bool anywhere = breakpoint.kind == Breakpoint::Kind::condition;
      if (anywhere && !may_have_changed(breakpoint)) continue;
      if (breakpoint.condition && !breakpoint.condition->condition(view())) continue;
      hit = Hit{session_.position(), breakpoint.id, ""};
    }
  }
  return hit;
}

Stop Debugger::stop_at(const Hit& hit) {
  const auto found = std::find_if(breakpoints_.begin(), breakpoints_.end(),
                                  [&](const Breakpoint& b) { return b.id == hit.breakpoint; });
  ++found->hits;
  if (found->temporary) breakpoints_.erase(found);
  return {Stop::Reason::breakpoint, hit.breakpoint, hit.detail};
}

Stop Debugger::go_to(std::int64_t op) {
  if (op < 0 || op > program().size()) {
    throw Error(fmt::format("op {}: this program has ops 0 to {}", op, program().size() - 1));
  }
  departure_.reset();
  jumped_ = true;
  session_.seek(op);
  return {session_.at_end() ? Stop::Reason::end : Stop::Reason::moved, 0, ""};
}

std::optional<Stop> Debugger::step_and_check(const std::function<void()>& executed) {
  std::vector<std::string> watched = watched_values();
  step(executed);
  if (const auto hit = hit_here(watched)) return stop_at(*hit);
  return std::nullopt;
}

Stop Debugger::run_to(std::int64_t target) {
  std::vector<std::string> watched = watched_values();
  while (!session_.at_end() && session_.position() < target) {
    step();
    if (breakpoints_.empty()) continue;
    if (const auto hit = hit_here(watched)) return stop_at(*hit);
  }
  return {session_.at_end() ? Stop::Reason::end : Stop::Reason::moved, 0, ""};
}

// Work item by work item, each run forwards once to find the last hit in it.
Stop Debugger::run_back_to(std::int64_t target) {
  std::int64_t end = session_.position();
  if (breakpoints_.empty()) {
    go_to(target);
    return {target == 0 ? Stop::Reason::beginning : Stop::Reason::moved, 0, ""};
  }
  while (end > target) {
    go_to(end);
    const std::int64_t begin = std::max(target, session_.previous_work_item());
    // One op earlier, so that what happens on the border is seen happening; the place where the way
    // back ends does not count.
    go_to(std::max(target, begin - 1));
    std::optional<Hit> last;
    std::vector<std::string> watched = watched_values();
    while (session_.position() + 1 < end) {
      step();
      if (auto hit = hit_here(watched)) last = std::move(hit);
    }
    if (last) {
      go_to(last->position);
      return stop_at(*last);
    }
    end = begin;
  }
  go_to(target);
  return {target == 0 ? Stop::Reason::beginning : Stop::Reason::moved, 0, ""};
}

}  // namespace flashscope
