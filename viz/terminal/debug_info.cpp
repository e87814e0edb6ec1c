// The table, and the topics of `info`; see debug_prompt.h.
#include <algorithm>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/expression/nearest_name.h"
#include "sim/model/sram_budget.h"
#include "viz/terminal/debug_world.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {

std::string line_number_text(int number, int digits) {
  return styled(fmt::format("|{}|", pad_left(std::to_string(number), digits)), Style::dim);
}

void DebugPrompt::list(const std::string&) {
  constexpr int kDigits = 2, kIndent = 10;
  const Algorithm& algorithm = program().algorithm();
  int current = 0;
  if (position() < program().size()) {
    const int line = program().op(position()).line;
    current = algorithm.lines[static_cast<std::size_t>(line)].source_line;
  }
  const std::vector<Breakpoint> breakpoints =
      has_debugger() ? debugger().breakpoints() : std::vector<Breakpoint>();
  std::string_view rest = algorithm.source;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = rest.find('\n');
    const std::string line(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    const bool marked =
        std::any_of(breakpoints.begin(), breakpoints.end(), [&](const Breakpoint& b) {
          return b.kind == Breakpoint::Kind::line && b.source_line == number;
        });
    const std::string shown = fmt::format(
        "{}{} {} {}", marked ? styled("*", Style::bad) : " ", number == current ? ">" : " ",
        line_number_text(number, kDigits), number == current ? styled(line, Style::code) : line);
    fmt::print(output_, "{}\n", wrapped(shown.substr(0, shown.find_last_not_of(' ') + 1), kIndent));
  }
}

void DebugPrompt::show_budget() const {
  const Budget b = budget(program().algorithm(), program().problem(), program().tiling(),
                          program().precision(), device(options_), placement(options_));
  for (const BudgetItem& item : b.items) {
    if (item.place != Place::shared) continue;
    fmt::print(output_, "  {} {} {} B from {}\n", pad_right(item.phase, 10),
               pad_right(item.buffer, 8), grouped(item.bytes), grouped(item.offset_bytes));
  }
  fmt::print(output_, "  {} of {} B used: {}\n", grouped(b.shared_bytes),
             grouped(b.shared_limit_bytes), b.fits ? "it fits" : "it does not fit");
}

void DebugPrompt::info(const std::string& topic) {
  if (topic == "line" || topic.empty()) {
    show_position();
    return;
  }
  if (topic == "sram") {
    show_budget();
    return;
  }
  Debugger& d = debugger();
  const Program& program = d.program();
  if (topic == "breakpoints" || topic == "b") {
    if (d.breakpoints().empty()) fmt::print(output_, "no breakpoints\n");
    for (const Breakpoint& b : d.breakpoints()) {
      fmt::print(
          output_, "  {}  {}{}  hit {} times\n", b.id,
          b.kind == Breakpoint::Kind::watch ? "watch " : (b.temporary ? "tbreak " : "break "),
          b.text, b.hits);
    }
  } else if (topic == "tiles") {
    for (const std::string& name : d.vocabulary().tiles) {
      const Buffer& b = program.algorithm().buffers[static_cast<std::size_t>(tile_named(name))];
      const Tile& tile = d.session().tile(tile_named(name));
      fmt::print(output_, "  {} {} x {} {}, {}\n", pad_right(name, 8), tile.rows, tile.columns,
                 name_of(format_of(b.stage, program.precision(), program.tiling())),
                 b.place == Place::shared ? "shared" : "registers");
    }
  } else if (topic == "traffic") {
    for (const TrafficRow& row : d.ledger().traffic()) {
      fmt::print(output_, "  {} {} {} {} B\n", pad_right(row.phase, 10), pad_right(row.tensor, 8),
                 row.direction == Direction::load ? "loaded" : "stored", grouped(row.bytes));
    }
    fmt::print(output_, "  all: {} B loaded, {} B stored so far (simulated)\n",
               grouped(d.ledger().all_load_bytes()), grouped(d.ledger().all_store_bytes()));
  } else if (topic == "rows") {
    const IndexRange rows = program.q_rows(d.session().segment());
    const IndexRange keys = program.kv_rows(d.session().segment());
    fmt::print(output_, "  query rows {} to {}", rows.begin, rows.end - 1);
    if (!keys.empty()) fmt::print(output_, ", keys {} to {}", keys.begin, keys.end - 1);
    fmt::print(output_, " of batch {}, head {}\n", d.session().segment().batch,
               d.session().segment().head);
  } else {
    throw Error(fmt::format(
        "info {}: {}", topic,
        nearest_name(topic, {"breakpoints", "line", "tiles", "traffic", "sram", "rows"})));
  }
}

}  // namespace flashscope::terminal
