// One on-chip tile at a session's position: its shape and format, what its rows and columns are,
// what the mask hides, the range of its values, and its values seen from any distance. Left out:
// exact values (tile_truth.h) and how a tile is drawn.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/debugger/session.h"
#include "viz/views/sheet.h"
#include "viz/views/tile_contents.h"

namespace flashscope::views {

// On-chip buffers in the order of the table.
std::vector<int> on_chip_buffers(const Algorithm& algorithm);
// The tile to look at when nobody chose one: what the next op touches, if this step has written it
// before; else what the last op touched; before a work item's first op, what that will write. -1
// when the table has none.
int tile_at_hand(const Session& session);

// What a side of a tile counts.
enum class TileSide : std::uint8_t { none, query_rows, keys, head_dim, splits };

struct TileCell {
  enum class Kind : std::uint8_t { number, minus_infinity, plus_infinity, nan };
  float value = 0;
  Kind kind = Kind::number;
  bool hidden = false;    // by the mask
  bool past_end = false;  // of the rows or keys: no part of the problem
};

// A rectangle of a tile in bins of row_step x column_step elements. A bin shows its element that
// stands out most: NaN before infinities before the largest magnitude.
struct TileCells {
  IndexRange rows, columns;
  std::int64_t row_step = 1, column_step = 1;
  std::int64_t bin_rows = 0, bin_columns = 0;
  std::vector<TileCell> cells;  // (bin_rows, bin_columns)
  const TileCell& at(std::int64_t row, std::int64_t column) const {
    return cells[static_cast<std::size_t>(row * bin_columns + column)];
  }
};

class TileView {
 public:
  // Of an on-chip buffer. The session must outlive the view; the values are read when asked for, so
  // the view must be made anew when the session moves.
  TileView(const Session& session, int buffer);

  int buffer() const { return buffer_; }
  const std::string& name() const;
  Place place() const;
  std::int64_t rows() const { return tile_->rows; }
  std::int64_t columns() const { return tile_->columns; }
  // Rows and columns that are part of the problem here.
  std::int64_t rows_in_bounds() const { return rows_in_bounds_; }
  std::int64_t columns_in_bounds() const { return columns_in_bounds_; }
  TileSide row_side() const { return row_side_; }
  TileSide column_side() const { return column_side_; }
  // What the first row or column is called: its index within the head, the head dimension or the
  // splits. Packed query rows are named by row and q head: "12·h1".
  std::int64_t first_row() const { return first_of(row_side_); }
  std::int64_t first_column() const { return first_of(column_side_); }
  std::string row_label(std::int64_t row) const;
  std::string column_label(std::int64_t column) const;

  const std::optional<TileOrigin>& origin() const { return origin_; }
  // The work item has not written it yet, and nothing has been set by hand.
  bool is_blank() const { return is_blank_; }
  bool is_written_next() const { return is_written_next_; }  // by the next op
  // "fp16", of its stage; a result that its cast has not reached yet is still fp32.
  std::string_view precision() const;
  bool is_rounded() const { return is_rounded_; }
  // "q tile 3, kv tile 5, split 1": where its contents come from; empty when it is blank.
  std::string place_text() const;

  // Of finite visible elements in bounds; of a sample of the rows where the tile is huge.
  double low() const { return low_; }
  double high() const { return high_; }
  bool has_numbers() const { return has_numbers_; }
  bool is_diverging() const { return has_numbers_ && low_ < 0 && high_ > 0; }
  // From -1 to 1 when diverging, else from 0 to 1.
  double shade(double value) const;
  // What else there is among the elements in bounds.
  bool has_nan() const { return has_nan_; }
  bool has_minus_infinity() const { return has_minus_infinity_; }
  bool has_plus_infinity() const { return has_plus_infinity_; }
  bool has_hidden() const { return has_hidden_; }

  float value(std::int64_t row, std::int64_t column) const { return tile_->at(row, column); }
  TileCell cell(std::int64_t row, std::int64_t column) const;
  TileCells cells(IndexRange rows, IndexRange columns, std::int64_t row_step,
                  std::int64_t column_step) const;

  // Nothing when there are more elements than a spreadsheet takes.
  std::optional<Sheet> sheet() const;

 private:
  void find_extents();
  void find_rounding();
  bool is_set_by_hand() const;
  void find_hidden();
  void find_range();
  std::int64_t first_of(TileSide side) const;

  const Session* session_;
  int buffer_;
  const Tile* tile_;
  TileSide row_side_ = TileSide::none, column_side_ = TileSide::none;
  std::int64_t rows_in_bounds_ = 0, columns_in_bounds_ = 0;
  std::optional<TileOrigin> origin_;
  Segment place_;  // of the contents: the origin's, else the position's
  bool is_blank_ = false, is_written_next_ = false, is_rounded_ = true;
  std::vector<std::uint8_t> visible_;  // (rows_in_bounds, columns_in_bounds) or empty: all are
  double low_ = 0, high_ = 0;
  bool has_numbers_ = false, has_nan_ = false, has_minus_infinity_ = false;
  bool has_plus_infinity_ = false, has_hidden_ = false;
};

// "0.1353", "-inf", "nan": `digits` significant ones.
std::string number_text(double value, int digits);

}  // namespace flashscope::views
