// Movement commands of the debug prompt; see debug_prompt.h.
#include <algorithm>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/setup/parse_values.h"
#include "viz/terminal/debug_walk.h"
#include "viz/terminal/debug_world.h"
#include "viz/terminal/screen.h"
#include "viz/views/walk_words.h"

namespace flashscope::terminal {
namespace {

constexpr std::int64_t kMostShownOps = 200;  // printed one by one; beyond that only the last place

std::int64_t repeat_count(const std::string& text) {
  if (text.empty()) return 1;
  const std::vector<std::int64_t> count = parse_integers(text, "count");
  if (count.size() != 1 || count[0] < 1) {
    throw Error(fmt::format("'{}' is no count from 1 up", text));
  }
  return count[0];
}

std::vector<std::int64_t> numbers(const std::string& text, std::size_t count, const char* usage) {
  if (text.empty()) throw Error(fmt::format("write: {}", usage));
  std::string joined = text;
  std::replace(joined.begin(), joined.end(), ' ', ',');
  const std::vector<std::int64_t> values = parse_integers(joined, usage);
  if (values.size() != count) throw Error(fmt::format("write: {}", usage));
  return values;
}

}  // namespace

// Executes one op and prints it as `walk` does.
std::optional<Stop> DebugPrompt::step_shown() {
  Debugger& d = debugger();
  const auto rows = rows_to_show(d.program(), d.session().segment());
  return terminal::step_shown(d, scenario(), rows, world_->run().text);
}

void DebugPrompt::report(const Stop& stop) {
  switch (stop.reason) {
    case Stop::Reason::breakpoint:
      fmt::print(output_, "{}\n",
                 styled(fmt::format("Breakpoint {}{}{}", stop.breakpoint,
                                    stop.detail.empty() ? "" : ", ", stop.detail),
                        Style::number));
      break;
    case Stop::Reason::beginning:
      fmt::print(output_, "the beginning of the program\n");
      break;
    case Stop::Reason::end:
      fmt::print(output_, "the end of the program\n");
      break;
    case Stop::Reason::moved:
      break;
  }
  show_position();
  show_displays();
}

std::string DebugPrompt::position_text() const {
  const std::int64_t op = position();
  if (op == program().size()) return fmt::format("{} ops done, none is left\n", grouped(op));
  const Segment segment = next_segment();
  const auto n = static_cast<std::size_t>(op - segment.first_op);
  const Line& line = program().algorithm().lines[static_cast<std::size_t>(segment.lines[n])];
  return fmt::format("{}\n  {} {}\n",
                     wrapped(fmt::format("op {} of {}, work item {}: {}", op, program().size(),
                                         segment.work_item, views::place_text(program(), segment))),
                     line_number_text(line.source_line, 0), styled(line.text, Style::code));
}

void DebugPrompt::show_position() const { fmt::print(output_, "{}", position_text()); }

void DebugPrompt::step(const std::string& arguments) {
  const std::int64_t count = repeat_count(arguments);
  Debugger& d = debugger();
  const std::int64_t target =
      std::min(d.program().size(), d.session().position() + std::min(count, d.program().size()));
  if (d.session().at_end()) {
    report({Stop::Reason::end, 0, ""});
    return;
  }
  if (count > kMostShownOps) {
    report(d.run_to(target));
    return;
  }
  while (d.session().position() < target) {
    if (const auto stop = step_shown()) {
      report(*stop);
      return;
    }
  }
  if (d.session().at_end()) fmt::print(output_, "the end of the program\n");
  show_displays();
}

// Where `count` kv tiles (segments) on or back begin.
std::int64_t DebugPrompt::segments_away(std::int64_t count, bool forward) const {
  const Program& program = debugger().program();
  std::int64_t op = debugger().session().position();
  for (std::int64_t n = 0; n < count; ++n) {
    if (forward ? op >= program.size() : op <= 0) break;
    const Segment segment = program.op(forward ? op : op - 1).segment;
    op = forward ? segment.first_op + static_cast<std::int64_t>(segment.lines.size())
                 : segment.first_op;
  }
  return op;
}

void DebugPrompt::next(const std::string& arguments) {
  report(debugger().run_to(segments_away(repeat_count(arguments), true)));
}

void DebugPrompt::finish(const std::string&) {
  report(debugger().run_to(debugger().session().next_work_item()));
}

void DebugPrompt::run_on(const std::string&) {
  report(debugger().run_to(debugger().program().size()));
}

void DebugPrompt::reverse_step(const std::string& arguments) {
  const std::int64_t here = debugger().session().position();
  const std::int64_t target = std::max<std::int64_t>(0, here - repeat_count(arguments));
  Stop stop = debugger().go_to(target);
  if (target == 0) stop.reason = Stop::Reason::beginning;
  report(stop);
}

void DebugPrompt::reverse_next(const std::string& arguments) {
  report(debugger().run_back_to(segments_away(repeat_count(arguments), false)));
}

void DebugPrompt::reverse_finish(const std::string&) {
  report(debugger().run_back_to(debugger().session().previous_work_item()));
}

void DebugPrompt::reverse_continue(const std::string&) { report(debugger().run_back_to(0)); }

void DebugPrompt::go_to(const std::string& arguments) {
  constexpr const char* kUsage = "goto OP, goto item W or goto tile I J";
  Debugger& d = debugger();
  const Program& program = d.program();
  if (arguments.starts_with("item ")) {
    const std::int64_t item = numbers(arguments.substr(5), 1, kUsage)[0];
    if (item < 0 || item >= program.work_items()) {
      throw Error(fmt::format("there are work items 0 to {}", program.work_items() - 1));
    }
    report(d.go_to(program.ops_of_work_item(item).begin));
  } else if (arguments.starts_with("tile ")) {
    const auto place = numbers(arguments.substr(5), 2, kUsage);
    report(d.go_to(d.op_of_tile(place[0], place[1])));
  } else {
    report(d.go_to(numbers(arguments, 1, kUsage)[0]));
  }
}

void DebugPrompt::until_row(const std::string& arguments) {
  const auto place = numbers(arguments, 2, "until ROW J");
  Debugger& d = debugger();
  const std::int64_t rows = d.program().problem().q_len * d.program().group();
  if (place[0] < 0 || place[0] >= rows) {
    throw Error(fmt::format("there are rows 0 to {}", rows - 1));
  }
  report(d.go_to(d.op_of_tile(place[0] / d.program().tiling().q_tile_rows, place[1])));
}

}  // namespace flashscope::terminal
