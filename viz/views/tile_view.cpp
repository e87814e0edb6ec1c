// Reading a tile off the session; see tile_view.h.
#include "viz/views/tile_view.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/machine/mask_rows.h"

namespace flashscope::views {
namespace {

constexpr std::int64_t kMostElementsMasked = std::int64_t{1} << 20;
constexpr std::int64_t kMostElementsRanged = std::int64_t{1} << 18;
constexpr std::int64_t kMostSheetCells = std::int64_t{1} << 17;

const Line& line_of(const Program& program, int index) {
  return program.algorithm().lines[static_cast<std::size_t>(index)];
}

// The on-chip tile that a line is about: its result, which for a store is what it reads.
int tile_of(const Program& program, int index) { return line_of(program, index).result; }

TileSide side_of(Dim dim) {
  switch (dim) {
    case Dim::one:
      return TileSide::none;
    case Dim::q_row:
    case Dim::q_tile:
    case Dim::q_len:
      return TileSide::query_rows;
    case Dim::kv_tile:
    case Dim::kv_len:
      return TileSide::keys;
    case Dim::head_dim:
      return TileSide::head_dim;
    case Dim::splits:
      return TileSide::splits;
  }
  return TileSide::none;
}

}  // namespace

std::string number_text(double value, int digits) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "+inf" : "-inf";
  return fmt::format("{:.{}g}", value == 0 ? 0.0 : value, digits);
}

std::vector<int> on_chip_buffers(const Algorithm& algorithm) {
  std::vector<int> buffers;
  for (std::size_t n = 0; n < algorithm.buffers.size(); ++n) {
    if (algorithm.buffers[n].place != Place::hbm) buffers.push_back(static_cast<int>(n));
  }
  return buffers;
}

int tile_at_hand(const Session& session) {
  const Program& program = session.program();
  const Segment& segment = session.segment();
  const auto executed = static_cast<std::size_t>(session.position() - segment.first_op);
  const std::span<const int> lines = segment.lines;
  if (executed < lines.size()) {
    const int next = tile_of(program, lines[executed]);
    const auto done = lines.first(executed);
    const bool has_content = std::any_of(
        done.begin(), done.end(), [&](int line) { return writes(line_of(program, line), next); });
    if (has_content) return next;
  }
  if (executed > 0) return tile_of(program, lines[executed - 1]);
  if (session.position() > 0) {
    const int last = tile_of(program, program.op(session.position() - 1).line);
    if (origin_of(session, last)) return last;
  }
  if (!lines.empty()) return tile_of(program, lines.front());
  const std::vector<int> buffers = on_chip_buffers(program.algorithm());
  return buffers.empty() ? -1 : buffers.front();
}

TileView::TileView(const Session& session, int buffer)
    : session_(&session),
      buffer_(buffer),
      tile_(&session.tile(buffer)),
      origin_(origin_of(session, buffer)),
      place_(origin_ ? origin_->segment : session.segment()) {
  find_extents();
  const Program& program = session.program();
  const Segment& here = session.segment();
  const auto executed = static_cast<std::size_t>(session.position() - here.first_op);
  if (executed < here.lines.size()) {
    const Line& next = line_of(program, here.lines[executed]);
    is_written_next_ = writes(next, buffer);
  }
  if (origin_) find_rounding();
  is_blank_ = !origin_ && !is_set_by_hand();
  if (is_blank_) return;
  find_hidden();
  find_range();
}

const std::string& TileView::name() const {
  return session_->program().algorithm().buffers[static_cast<std::size_t>(buffer_)].name;
}

Place TileView::place() const {
  return session_->program().algorithm().buffers[static_cast<std::size_t>(buffer_)].place;
}

std::string_view TileView::precision() const {
  const Program& program = session_->program();
  const Buffer& buffer = program.algorithm().buffers[static_cast<std::size_t>(buffer_)];
  return name_of(format_of(buffer.stage, program.precision(), program.tiling()));
}

void TileView::find_extents() {
  const Program& program = session_->program();
  const Buffer& buffer = program.algorithm().buffers[static_cast<std::size_t>(buffer_)];
  row_side_ = side_of(buffer.rows);
  column_side_ = side_of(buffer.columns);
  const auto in_bounds = [&](Dim dim, std::int64_t all) {
    const IndexRange held = dim == Dim::q_tile    ? program.q_rows(place_)
                            : dim == Dim::kv_tile ? program.kv_rows(place_)
                                                  : IndexRange{0, all};
    // Between tiles nothing says which rows it holds: then all of it counts.
    return held.empty() ? all : std::min(all, held.size());
  };
  rows_in_bounds_ = in_bounds(buffer.rows, tile_->rows);
  columns_in_bounds_ = in_bounds(buffer.columns, tile_->columns);
}

std::int64_t TileView::first_of(TileSide side) const {
  const Program& program = session_->program();
  if (side == TileSide::query_rows) return program.q_rows(place_).begin;
  if (side == TileSide::keys) return program.kv_rows(place_).begin;
  return 0;
}

std::string TileView::row_label(std::int64_t row) const {
  const std::int64_t index = first_of(row_side_) + row, group = session_->program().group();
  if (row_side_ == TileSide::query_rows && group > 1) {
    return fmt::format("{}·h{}", index / group, place_.head * group + index % group);
  }
  return row_side_ == TileSide::none ? "" : fmt::format("{}", index);
}

std::string TileView::column_label(std::int64_t column) const {
  if (column_side_ == TileSide::none) return "";
  return fmt::format("{}", first_of(column_side_) + column);
}

std::string TileView::place_text() const {
  if (is_blank_) return "";
  std::string text;
  const auto add = [&](const char* what, std::int64_t index) {
    if (index >= 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, index);
  };
  const auto has = [&](TileSide side) { return row_side_ == side || column_side_ == side; };
  if (has(TileSide::query_rows)) {
    place_.q_row >= 0 ? add("row", place_.q_row) : add("q tile", place_.q_tile);
  }
  if (has(TileSide::keys)) add("kv tile", place_.kv_tile);
  if (has(TileSide::query_rows)) add("split", place_.split);
  return text;
}

bool TileView::is_set_by_hand() const {
  const IndexRange here{session_->segment().first_op, session_->position() + 1};
  const std::vector<SetEvent>& events = session_->events();
  return std::any_of(events.begin(), events.end(), [&](const SetEvent& event) {
    return event.buffer == buffer_ && here.contains(event.op);
  });
}

// What a load or a fill leaves is in the tile's format; a result is once its cast has been
// executed.
void TileView::find_rounding() {
  const std::span<const int> lines = origin_->segment.lines;
  for (auto n = static_cast<std::int64_t>(lines.size()) - 1; n >= 0; --n) {
    const Line& line = line_of(session_->program(), lines[static_cast<std::size_t>(n)]);
    if (!writes(line, buffer_)) continue;
    if (n >= origin_->ops) {
      if (line.kind == LineKind::cast) is_rounded_ = false;
      continue;
    }
    is_rounded_ = is_rounded_ || line.kind == LineKind::load || line.kind == LineKind::fill ||
                  line.kind == LineKind::cast;
    return;
  }
}

// Scores and weights: what has query rows and keys.
void TileView::find_hidden() {
  if (row_side_ != TileSide::query_rows || column_side_ != TileSide::keys) return;
  if (rows_in_bounds_ * columns_in_bounds_ > kMostElementsMasked) return;
  const Program& program = session_->program();
  const bool sees_all = place_.part == Part::step && place_.kind.tile_class == TileClass::full;
  if (sees_all && program.algorithm().behaviour.causal_loop == CausalLoop::right) return;
  const MaskRows mask(program);
  visible_.resize(static_cast<std::size_t>(rows_in_bounds_ * columns_in_bounds_));
  try {
    for (std::int64_t r = 0; r < rows_in_bounds_; ++r) {
      mask.row(
          place_.batch, place_.head, first_of(row_side_) + r, first_of(column_side_),
          {visible_.data() + r * columns_in_bounds_, static_cast<std::size_t>(columns_in_bounds_)});
    }
  } catch (const Error&) {
    visible_.clear();  // the mask has no answer here: the step that asks it says so
  }
  has_hidden_ = std::find(visible_.begin(), visible_.end(), std::uint8_t{0}) != visible_.end();
}

void TileView::find_range() {
  const std::int64_t elements = rows_in_bounds_ * columns_in_bounds_;
  const std::int64_t stride = std::max<std::int64_t>(1, elements / kMostElementsRanged);
  low_ = std::numeric_limits<double>::infinity();
  high_ = -low_;
  for (std::int64_t r = 0; r < rows_in_bounds_; r += stride) {
    for (std::int64_t c = 0; c < columns_in_bounds_; ++c) {
      const float value = tile_->at(r, c);
      if (std::isfinite(value)) {
        const bool counts =
            visible_.empty() || visible_[static_cast<std::size_t>(r * columns_in_bounds_ + c)] != 0;
        if (!counts) continue;
        low_ = std::min(low_, static_cast<double>(value));
        high_ = std::max(high_, static_cast<double>(value));
      } else {
        has_nan_ = has_nan_ || std::isnan(value);
        has_plus_infinity_ = has_plus_infinity_ || value > 0;
        has_minus_infinity_ = has_minus_infinity_ || value < 0;
      }
    }
  }
  has_numbers_ = low_ <= high_;
  if (!has_numbers_) low_ = high_ = 0;
}

double TileView::shade(double value) const {
  if (is_diverging()) return std::clamp(value / std::max(-low_, high_), -1.0, 1.0);
  if (low_ == high_) return 0.5;
  return std::clamp((value - low_) / (high_ - low_), 0.0, 1.0);
}

TileCell TileView::cell(std::int64_t row, std::int64_t column) const {
  TileCell cell;
  cell.value = tile_->at(row, column);
  if (std::isnan(cell.value)) {
    cell.kind = TileCell::Kind::nan;
  } else if (std::isinf(cell.value)) {
    cell.kind = cell.value > 0 ? TileCell::Kind::plus_infinity : TileCell::Kind::minus_infinity;
  }
  cell.past_end = row >= rows_in_bounds_ || column >= columns_in_bounds_;
  cell.hidden = !cell.past_end && !visible_.empty() &&
                visible_[static_cast<std::size_t>(row * columns_in_bounds_ + column)] == 0;
  return cell;
}

TileCells TileView::cells(IndexRange rows, IndexRange columns, std::int64_t row_step,
                          std::int64_t column_step) const {
  TileCells result;
  result.rows = intersect(rows, {0, tile_->rows});
  result.columns = intersect(columns, {0, tile_->columns});
  result.row_step = row_step;
  result.column_step = column_step;
  result.bin_rows = ceil_div(result.rows.size(), row_step);
  result.bin_columns = ceil_div(result.columns.size(), column_step);
  result.cells.reserve(static_cast<std::size_t>(result.bin_rows * result.bin_columns));
  // How much an element stands out. What is no part of the answer never does.
  const auto weight = [](const TileCell& cell) {
    if (cell.past_end) return -2.0;
    if (cell.hidden) return -1.0;
    if (cell.kind == TileCell::Kind::nan) return std::numeric_limits<double>::infinity();
    return std::min(std::abs(static_cast<double>(cell.value)), std::numeric_limits<double>::max());
  };
  for (std::int64_t r = result.rows.begin; r < result.rows.end; r += row_step) {
    for (std::int64_t c = result.columns.begin; c < result.columns.end; c += column_step) {
      TileCell best = cell(r, c);
      for (std::int64_t y = r; y < std::min(r + row_step, result.rows.end); ++y) {
        for (std::int64_t x = c; x < std::min(c + column_step, result.columns.end); ++x) {
          const TileCell other = cell(y, x);
          if (weight(other) > weight(best)) best = other;
        }
      }
      result.cells.push_back(best);
    }
  }
  return result;
}

std::optional<Sheet> TileView::sheet() const {
  if (is_blank_ || rows_in_bounds_ * columns_in_bounds_ > kMostSheetCells) return std::nullopt;
  Sheet sheet;
  sheet.header.push_back(name());
  for (std::int64_t c = 0; c < columns_in_bounds_; ++c) {
    const std::string label = column_label(c);
    sheet.header.push_back(label.empty() ? "value" : label);
  }
  for (std::int64_t r = 0; r < rows_in_bounds_; ++r) {
    std::vector<std::string>& row = sheet.rows.emplace_back();
    row.push_back(row_label(r));
    for (std::int64_t c = 0; c < columns_in_bounds_; ++c) {
      row.push_back(number_text(tile_->at(r, c), 9));
    }
  }
  return sheet;
}

}  // namespace flashscope::views
