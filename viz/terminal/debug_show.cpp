// Values and tiles as the debug prompt prints them; see debug_prompt.h.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/expression/nearest_name.h"
#include "viz/terminal/debug_world.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

constexpr std::int64_t kMostNumberRows = 16, kMostNumberColumns = 8, kMostHeat = 64;
constexpr int kNumberWidth = 10;
constexpr double kMostWhole = 1e15;  // beyond: powers of ten

// As many columns as the screen has room for.
std::int64_t shown_columns(std::int64_t columns) {
  const std::int64_t room = std::max(1, (screen_width() - 4) / kNumberWidth);
  return std::min({columns, kMostNumberColumns, room});
}

std::string matrix_text(const expression::StateValue& value) {
  std::string text;
  const std::int64_t rows = std::min(value.rows, kMostNumberRows);
  const std::int64_t columns = shown_columns(value.columns);
  for (std::int64_t r = 0; r < rows; ++r) {
    text += "  ";
    for (std::int64_t c = 0; c < columns; ++c) {
      text += pad_left(short_number(value.at(r, c)), kNumberWidth);
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

bool is_all_nan(const expression::StateValue& value) {
  return std::all_of(value.numbers.begin(), value.numbers.end(),
                     [](double number) { return std::isnan(number); });
}

}  // namespace

std::string printed_value(std::string_view expression, const expression::StateValue& value) {
  if (value.is_scalar) {
    const double number = value.at(0, 0);
    const bool is_whole = number == std::trunc(number) && std::abs(number) < kMostWhole;
    return fmt::format(
        "{} = {}\n", expression,
        styled(is_whole ? fmt::format("{:.0f}", number) : fmt::format("{:.9g}", number),
               Style::number));
  }
  if (value.columns == 1 && value.rows <= kMostNumberRows) {
    std::string numbers;
    for (const double number : value.numbers) numbers += " " + short_number(number);
    return fmt::format("{} ={}\n", expression, styled(numbers, Style::number));
  }
  return fmt::format("{} =\n{}", expression, matrix_text(value));
}

int DebugPrompt::tile_named(const std::string& name) const {
  const int buffer = program().algorithm().find(name, false);
  if (buffer >= 0) return buffer;
  throw Error(fmt::format("there is no tile '{}'; {}", name,
                          nearest_name(name, session_vocabulary(program()).tiles)));
}

// Looks back over the steps of this work item that are the same q tile's, or of all of them. Where
// q tiles take turns, what one of them had on chip is gone when it comes again.
bool DebugPrompt::is_written(int buffer) const {
  constexpr int kMostSteps = 100'000;
  const Segment here = next_segment();
  const std::int64_t begin = program().ops_of_work_item(here.work_item).begin;
  std::int64_t end = position();
  bool took_turns = false;
  for (int step = 0; end > begin; ++step) {
    if (step == kMostSteps) return true;
    const Segment segment = program().op(end - 1).segment;
    const bool same = segment.q_tile == here.q_tile || here.q_tile < 0;
    took_turns = took_turns || (!same && segment.q_tile >= 0);
    if (segment.q_tile < 0 || (same && !took_turns)) {
      for (std::int64_t op = segment.first_op; op < end; ++op) {
        const int line = segment.lines[static_cast<std::size_t>(op - segment.first_op)];
        if (program().algorithm().lines[static_cast<std::size_t>(line)].result == buffer) {
          return true;
        }
      }
    }
    end = segment.first_op;
  }
  return false;
}

bool DebugPrompt::looks_at_nothing(const std::string& text) const {
  const auto vocabulary = session_vocabulary(program());
  const std::vector<int> tiles = expression::StateExpression::parse(text, vocabulary).tiles_used();
  return std::any_of(tiles.begin(), tiles.end(), [&](int tile) {
    return !is_written(tile_named(vocabulary.tiles[static_cast<std::size_t>(tile)]));
  });
}

void DebugPrompt::print_value(const std::string& text) const {
  const auto parsed = expression::StateExpression::parse(text, debugger().vocabulary());
  const expression::StateValue value = parsed.evaluate(debugger().view());
  if (is_all_nan(value) && looks_at_nothing(text)) {
    fmt::print(output_, "{} = nothing yet\n", text);
  } else {
    fmt::print(output_, "{}", printed_value(text, value));
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

}  // namespace flashscope::terminal
