// What the debug prompt prints: values, tiles, the table, and the topics of `info`.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/expression/nearest_name.h"
#include "sim/model/sram_budget.h"
#include "viz/terminal/debug_world.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

constexpr std::int64_t kMostNumberRows = 16, kMostNumberColumns = 8, kMostHeat = 64;

std::string matrix_text(const expression::StateValue& value) {
  std::string text;
  const std::int64_t rows = std::min(value.rows, kMostNumberRows);
  const std::int64_t columns = std::min(value.columns, kMostNumberColumns);
  for (std::int64_t r = 0; r < rows; ++r) {
    text += "  ";
    for (std::int64_t c = 0; c < columns; ++c) {
      text += pad_left(short_number(value.at(r, c)), 10);
    }
    text += columns < value.columns ? " …\n" : "\n";
  }
  if (rows < value.rows) text += fmt::format("  … ({} rows)\n", value.rows);
  return text;
}

// Five levels of ink over the finite range; '.' for -inf, '?' for NaN.
std::string heat_text(const expression::TileRef& tile) {
  static constexpr const char* kLevels[] = {" ", "░", "▒", "▓", "█"};
  float low = INFINITY, high = -INFINITY;
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    for (std::int64_t c = 0; c < tile.columns; ++c) {
      const float value = tile.at(r, c);
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  std::string text;
  for (std::int64_t r = 0; r < std::min(tile.rows, kMostHeat); ++r) {
    text += "  ";
    for (std::int64_t c = 0; c < std::min(tile.columns, kMostHeat); ++c) {
      const float value = tile.at(r, c);
      if (std::isnan(value)) {
        text += "?";
      } else if (!std::isfinite(value)) {
        text += value < 0 ? "." : "!";
      } else {
        const float part = high > low ? (value - low) / (high - low) : 0;
        text += kLevels[std::min(4, static_cast<int>(part * 5))];
      }
    }
    text += "\n";
  }
  return text + fmt::format("  from {} (blank) to {} (black); . is -inf, ? is nan\n",
                            short_number(low), short_number(high));
}

}  // namespace

int DebugPrompt::tile_named(const std::string& name) const {
  const int buffer = debugger().program().algorithm().find(name, false);
  if (buffer >= 0) return buffer;
  throw Error(fmt::format("there is no tile '{}'; {}", name,
                          nearest_name(name, debugger().vocabulary().tiles)));
}

void DebugPrompt::print_value(const std::string& text) const {
  const auto parsed = expression::StateExpression::parse(text, debugger().vocabulary());
  const expression::StateValue value = parsed.evaluate(debugger().view());
  if (value.is_scalar) {
    fmt::print(output_, "{} = {}\n", text,
               styled(fmt::format("{:.9g}", value.at(0, 0)), Style::number));
  } else if (value.columns == 1 && value.rows <= kMostNumberRows) {
    std::string numbers;
    for (const double number : value.numbers) numbers += " " + short_number(number);
    fmt::print(output_, "{} ={}\n", text, styled(numbers, Style::number));
  } else {
    fmt::print(output_, "{} =\n{}", text, matrix_text(value));
  }
}

void DebugPrompt::print(const std::string& arguments) {
  if (arguments.empty()) throw Error("print what? for example: print max(S) - min(S)");
  print_value(arguments);
}

void DebugPrompt::display(const std::string& arguments) {
  if (arguments.empty()) {
    show_displays();
    return;
  }
  print_value(arguments);  // throws when it can't be
  displays_.push_back(arguments);
}

void DebugPrompt::undisplay(const std::string& arguments) {
  if (arguments.empty()) {
    displays_.clear();
    return;
  }
  const int number = std::atoi(arguments.c_str());
  if (number < 1 || number > static_cast<int>(displays_.size())) {
    throw Error(displays_.empty() ? "undisplay: nothing is displayed"
                                  : fmt::format("there are displays 1 to {}", displays_.size()));
  }
  displays_.erase(displays_.begin() + (number - 1));
}

void DebugPrompt::show_displays() {
  for (std::size_t n = 0; n < displays_.size(); ++n) {
    fmt::print(output_, "{}: ", n + 1);
    try {
      print_value(displays_[n]);
    } catch (const Error&) {
      fmt::print(output_, "{} is not there now\n", displays_[n]);
    }
  }
}

void DebugPrompt::list(const std::string&) {
  const Algorithm& algorithm = debugger().program().algorithm();
  const Session& session = debugger().session();
  int current = 0;
  if (!session.at_end()) {
    current = algorithm.lines[static_cast<std::size_t>(session.next_op().line)].source_line;
  }
  std::string_view rest = algorithm.source;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = rest.find('\n');
    const std::string line(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    const bool marked = std::any_of(
        debugger().breakpoints().begin(), debugger().breakpoints().end(), [&](const Breakpoint& b) {
          return b.kind == Breakpoint::Kind::line && b.source_line == number;
        });
    fmt::print(output_, "{}{} {} {}\n", marked ? styled("*", Style::bad) : " ",
               number == current ? ">" : " ",
               styled(pad_left(std::to_string(number), 3), Style::dim),
               number == current ? styled(line, Style::code) : line);
  }
}

void DebugPrompt::examine(const std::string& arguments) {
  const bool heat = arguments.ends_with(" heat");
  const std::string name = heat ? arguments.substr(0, arguments.size() - 5) : arguments;
  if (name.empty()) throw Error("x which tile? for example: x S, or x S heat");
  tile_named(name);
  const auto& tiles = debugger().vocabulary().tiles;
  const auto index = std::find(tiles.begin(), tiles.end(), name) - tiles.begin();
  const expression::TileRef tile = debugger().view().tile(static_cast<int>(index));
  if (tile.empty())
    throw Error(fmt::format("{} holds nothing here: no tile of it is current", name));
  if (heat) {
    fmt::print(output_, "{}", heat_text(tile));
  } else {
    print_value(name);
  }
}

void DebugPrompt::info(const std::string& topic) {
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
  } else if (topic == "line" || topic.empty()) {
    show_position();
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
  } else if (topic == "sram") {
    const Budget b = budget(program.algorithm(), program.problem(), program.tiling(),
                            program.precision(), device(options_), placement(options_));
    for (const BudgetItem& item : b.items) {
      if (item.place != Place::shared) continue;
      fmt::print(output_, "  {} {} {} B from {}\n", pad_right(item.phase, 10),
                 pad_right(item.buffer, 8), grouped(item.bytes), grouped(item.offset_bytes));
    }
    fmt::print(output_, "  {} of {} B used\n", grouped(b.shared_bytes),
               grouped(b.shared_limit_bytes));
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
