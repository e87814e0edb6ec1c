// Substituted formulas; see formula.h.
#include "viz/views/formula.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "sim/io/number_text.h"

namespace flashscope::views {
namespace {

constexpr std::int64_t kElementColumns = 4;  // up to this many columns every element is shown
constexpr std::int64_t kShownValues = 5;     // of a wider row

std::string num(double value) { return io::short_number(value); }

// "e^(1-3)", "e^(1+2)" for a negative maximum; x and base as text.
std::string exponential_text(char base, const std::string& x, float max) {
  if (std::isinf(max) && max < 0) return "nothing seen yet";
  if (max < 0) return fmt::format("{}^({}+{})", base, x, num(-max));
  return fmt::format("{}^({}-{})", base, x, num(max));
}

// What exponentials are powers of: 2 under one of the faults.
char tile_base(const Algorithm& algorithm) {
  return algorithm.behaviour.tile_exponent_base_2 ? '2' : 'e';
}
char factor_base(const Algorithm& algorithm) {
  return algorithm.behaviour.factor_exponent_base_2 ? '2' : 'e';
}

std::string row_values(const Tile& tile, std::int64_t row, std::int64_t columns) {
  std::string text;
  for (std::int64_t c = 0; c < std::min(columns, kShownValues); ++c) {
    if (c > 0) text += ' ';
    text += num(tile.at(row, c));
  }
  return columns > kShownValues ? fmt::format("{} … ({})", text, columns) : text;
}

float row_maximum(const Tile& tile, std::int64_t row, std::int64_t columns) {
  float max = -std::numeric_limits<float>::infinity();
  for (std::int64_t c = 0; c < columns; ++c) max = std::max(max, tile.at(row, c));
  return max;
}

double row_sum(const Tile& tile, std::int64_t row, std::int64_t columns) {
  float sum = 0;
  for (std::int64_t c = 0; c < columns; ++c) sum += tile.at(row, c);
  return sum;
}

}  // namespace

std::int64_t Formulas::columns_of(const Buffer& b, const Segment& segment) const {
  switch (b.columns) {
    case Dim::head_dim:
      return program_.problem().head_dim;
    case Dim::kv_tile:
      return program_.kv_rows(segment).size();
    case Dim::kv_len:
      return program_.problem().kv_len;
    case Dim::splits:
      return program_.tiling().splits;
    default:
      return 1;
  }
}

std::int64_t Formulas::first_column(const Buffer& b, const Segment& segment) const {
  return b.columns == Dim::kv_tile ? program_.kv_rows(segment).begin : 0;
}

std::string Formulas::factor(int index, std::int64_t row) const {
  const auto found = factors_.find({index, row});
  return found != factors_.end() ? found->second : num(at(index, row));
}

void Formulas::remember_factors(const WalkEvent& event) {
  const Line& line = *event.line;
  const std::int64_t first = program_.q_rows(*event.segment).begin;
  for (const std::int64_t global : event.rows) {
    const std::int64_t row = global - first;
    if (line.kind == LineKind::exp_vector) {
      factors_[{line.result, row}] =
          exponential_text(factor_base(program_.algorithm()), num(at(line.operands[0], row)),
                           at(line.operands[1], row));
      // A row without a key so far has no exponent to write; e^-inf reads better as 0.
      const float max = at(line.operands[1], row), value = at(line.result, row);
      if (value == 0 || std::isinf(max)) factors_[{line.result, row}] = num(value);
    } else {
      factors_.erase({line.result, row});
    }
  }
}

std::string Formulas::vector_formula(const WalkEvent& event, const Place& place) const {
  const Line& line = *event.line;
  const std::int64_t r = place.row;
  const auto operand = [&](std::size_t n) { return at(line.operands[n], r); };
  const auto tile_columns = [&](std::size_t n) {
    return columns_of(buffer(line.operands[n]), *event.segment);
  };
  const auto tile = [&](std::size_t n) -> const Tile& {
    return interpreter_.tile(line.operands[n]);
  };
  const float old = event.before->at(r, 0);
  switch (line.kind) {
    case LineKind::row_max:
      return fmt::format("max {}", row_values(tile(0), r, tile_columns(0)));
    case LineKind::running_max:
      return fmt::format("max({}, {})", num(operand(0)),
                         num(row_maximum(tile(1), r, tile_columns(1))));
    case LineKind::keep_max: {
      const float grown = old - operand(0);
      return fmt::format("{}: grew by {}", event.after->at(r, 0) == old ? "moved" : "kept",
                         num(grown));
    }
    case LineKind::exp_vector:
      return exponential_text(factor_base(program_.algorithm()), num(operand(0)), operand(1));
    case LineKind::row_sum:
      return fmt::format("sum {}", row_values(tile(0), r, tile_columns(0)));
    case LineKind::running_sum:
      return fmt::format("{}*{} + {}", factor(line.operands[0], r), num(old),
                         num(row_sum(tile(2), r, tile_columns(2))));
    case LineKind::add_row_sum:
      return fmt::format("{} + {}", num(old), num(row_sum(tile(1), r, tile_columns(1))));
    case LineKind::multiply:
      return fmt::format("{}*{}", factor(line.operands[0], r), num(old));
    case LineKind::copy:
      return buffer(line.operands[0]).name;
    case LineKind::log_sum_exp:
      return fmt::format("{} + ln {}", num(operand(0)), num(operand(1)));
    default:
      return "";
  }
}

std::string Formulas::element_formula(const WalkEvent& event, const Place& place) const {
  const Line& line = *event.line;
  const std::int64_t r = place.row, c = place.column;
  const auto tile = [&](std::size_t n) -> const Tile& {
    return interpreter_.tile(line.operands[n]);
  };
  const float old = event.before->at(r, c);
  switch (line.kind) {
    case LineKind::product: {
      std::string sum;
      const std::int64_t inner = columns_of(buffer(line.operands[0]), *event.segment);
      if (inner > kElementColumns) {
        sum = fmt::format("{}·{}", buffer(line.operands[0]).name, buffer(line.operands[1]).name);
      } else {
        for (std::int64_t d = 0; d < inner; ++d) {
          sum += fmt::format("{}{}*{}", d == 0 ? "" : " + ", num(tile(0).at(r, d)),
                             num(tile(1).at(c, d)));
        }
      }
      return line.scaled ? fmt::format("{}*({})", num(program_.problem().scale), sum) : sum;
    }
    case LineKind::scale:
      return fmt::format("{}*{}", num(program_.problem().scale), num(old));
    case LineKind::exp_tile:
      return exponential_text(tile_base(program_.algorithm()), num(tile(0).at(r, c)),
                              tile(1).at(r, 0));
    case LineKind::rescale:
      return fmt::format("{}*{}", factor(line.operands[0], r), num(old));
    case LineKind::accumulate: {
      std::string sum = num(old);
      const std::int64_t inner = columns_of(buffer(line.operands[1]), *event.segment);
      if (inner > kElementColumns) return fmt::format("{} + P·V ({} keys)", sum, inner);
      for (std::int64_t k = 0; k < inner; ++k) {
        sum += fmt::format(" + {}*{}", num(tile(1).at(r, k)), num(tile(2).at(k, c)));
      }
      return sum;
    }
    case LineKind::accumulate_split:
      return fmt::format("{} + {}*{}", num(old), num(tile(1).at(r, event.segment->split)),
                         num(tile(2).at(r, c)));
    case LineKind::divide:
      return fmt::format("{}/{}", num(old), num(tile(1).at(r, 0)));
    case LineKind::cast:
      return fmt::format("{}({:.7g})",
                         name_of(format_of(line.stage, program_.precision(), program_.tiling())),
                         old);
    default:
      return "";
  }
}

// One formula for a whole row.
std::string Formulas::row_formula(const WalkEvent& event, const Place& place) const {
  const Line& line = *event.line;
  const std::int64_t r = place.row;
  const auto name = [&](std::size_t n) { return buffer(line.operands[n]).name; };
  switch (line.kind) {
    case LineKind::product:
      return line.scaled ? fmt::format("{}*{}·{}", num(program_.problem().scale), name(0), name(1))
                         : fmt::format("{}·{}", name(0), name(1));
    case LineKind::scale:
      return fmt::format("{}*{}", num(program_.problem().scale), name(0));
    case LineKind::exp_tile:
      return exponential_text(tile_base(program_.algorithm()), name(0), at(line.operands[1], r));
    case LineKind::rescale:
      return fmt::format("{}*{}", factor(line.operands[0], r), name(1));
    case LineKind::accumulate:
      return fmt::format("{} + {}·{}", name(0), name(1), name(2));
    case LineKind::accumulate_split:
      return fmt::format("{} + {}*{}", name(0), num(at(line.operands[1], r, event.segment->split)),
                         name(2));
    case LineKind::divide:
      return fmt::format("{}/{}", name(0), num(at(line.operands[1], r)));
    case LineKind::cast:
      return fmt::format("{}({})",
                         name_of(format_of(line.stage, program_.precision(), program_.tiling())),
                         buffer(line.result).name);
    default:
      return "";
  }
}

// Elements that a mask hid, gathered per row.
std::vector<Change> Formulas::masked(const WalkEvent& event) const {
  std::vector<Change> result;
  const Buffer& b = buffer(event.line->result);
  const IndexRange held = program_.q_rows(*event.segment);
  const IndexRange keys = program_.kv_rows(*event.segment);
  const std::string value = fmt::format("{}", event.line->hidden.value_or(0));
  for (const std::int64_t row : event.rows) {
    std::vector<std::string> hidden;
    for (std::int64_t k = 0; k < keys.size(); ++k) {
      if (event.line->hidden && event.after->at(row - held.begin, k) == *event.line->hidden) {
        hidden.push_back(std::to_string(keys.begin + k));
      }
    }
    if (hidden.empty()) {
      result.push_back({fmt::format("{}[{}]", b.name, row), "", "all visible"});
    } else if (static_cast<std::int64_t>(hidden.size()) <= kElementColumns) {
      result.push_back({fmt::format("{}[{}]", b.name, row),
                        fmt::format("keys {} hidden", fmt::join(hidden, " ")), value});
    } else {
      result.push_back({fmt::format("{}[{}]", b.name, row),
                        fmt::format("{} of {} keys hidden ({}..{})", hidden.size(), keys.size(),
                                    hidden.front(), hidden.back()),
                        value});
    }
  }
  return result;
}

// A tile of keys: its rows where they are few, else its size.
std::vector<Change> Formulas::copied_keys(const WalkEvent& event) const {
  const Buffer& b = buffer(event.line->result);
  const IndexRange keys = program_.kv_rows(*event.segment);
  const std::int64_t columns = columns_of(b, *event.segment);
  if (keys.size() > kElementColumns) {
    return {{fmt::format("{}[{}..{}]", b.name, keys.begin, keys.end - 1), "",
             fmt::format("{} x {} values", keys.size(), columns)}};
  }
  std::vector<Change> result;
  for (std::int64_t k = 0; k < keys.size(); ++k) {
    result.push_back(
        {fmt::format("{}[{}]", b.name, keys.begin + k), "", row_values(*event.after, k, columns)});
  }
  return result;
}

std::vector<Change> Formulas::changes(const WalkEvent& event) {
  const Line& line = *event.line;
  const Segment& segment = *event.segment;
  const Buffer& b = buffer(line.result);
  if (b.rows == Dim::kv_tile) return copied_keys(event);
  if (line.kind == LineKind::mask) return masked(event);

  std::vector<Change> result;
  const IndexRange held = program_.q_rows(segment);
  const std::int64_t columns = columns_of(b, segment), first = first_column(b, segment);
  const bool copy =
      line.kind == LineKind::load || line.kind == LineKind::store || line.kind == LineKind::fill;
  for (const std::int64_t global : event.rows) {
    const std::int64_t row = global - held.begin;
    if (b.is_vector()) {
      Place place{row, 0, fmt::format("{}[{}]", b.name, global)};
      result.push_back({place.target, vector_formula(event, place), num(event.after->at(row, 0))});
    } else if (copy || columns > kElementColumns) {
      Place place{row, 0, fmt::format("{}[{}]", b.name, global)};
      result.push_back({place.target, copy ? "" : row_formula(event, place),
                        row_values(*event.after, row, columns)});
    } else {
      for (std::int64_t c = 0; c < columns; ++c) {
        Place place{row, c, fmt::format("{}[{},{}]", b.name, global, first + c)};
        result.push_back(
            {place.target, element_formula(event, place), num(event.after->at(row, c))});
      }
    }
  }
  if (b.is_vector()) remember_factors(event);
  return result;
}

}  // namespace flashscope::views
