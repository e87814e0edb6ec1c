// What an element of an on-chip tile would be in exact arithmetic (fp64): computed from the
// scenario's inputs by definition, with sim/reference, for one element when it is asked for. Left
// out: tiles that attention does not define, such as the weights of a combine phase.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/scenario/scenario.h"
#include "viz/views/tile_contents.h"

namespace flashscope::views {

class TileTruth {
 public:
  // Of a tile at the session's position; the session must outlive this and stay there.
  TileTruth(const Session& session, int buffer);

  // Row and column on the tile, in bounds. Nothing: attention does not define this tile, or the
  // mask has no answer. Keeps what it has found out about a row.
  std::optional<double> at(std::int64_t row, std::int64_t column);
  // What at() computes: "e^(S - m), m over 6 keys so far"; why there is nothing, when there is.
  std::string definition() const;
  // Multiply-adds that the first element of a row takes.
  std::int64_t cost() const;

 private:
  struct Row {
    std::int64_t head = 0, query = 0;
  };
  Row row_at(std::int64_t row) const;
  std::vector<IndexRange> keys_of(KeyScope scope, std::int64_t column) const;
  double input(std::int64_t row, std::int64_t column) const;
  bool visible(Row row, std::int64_t key) const;
  std::vector<double> scores(Row row, IndexRange keys) const;  // unscaled, whatever the mask
  double max(Row row, KeyScope scope, std::int64_t column);
  double frame(std::int64_t row, std::int64_t column);
  const reference::Rows& attention(Row row, KeyScope scope, std::int64_t column);
  double weight(std::int64_t row, std::int64_t column);
  double output(std::int64_t row, std::int64_t column);

  const Session& session_;
  const Program& program_;
  std::optional<TileOrigin> origin_;
  Meaning meaning_;
  bool has_split_columns_ = false;
  bool frame_is_gone_ = false;        // with a rescale threshold: the next step has moved the max
  std::vector<IndexRange> consumed_;  // before and with the step at hand
  bool has_step_ = false;             // the last of consumed_ is that of the step
  reference::Inputs rounded_, exact_;
  // By row of the head, scope and split.
  using Key = std::pair<std::pair<std::int64_t, std::int64_t>, std::pair<KeyScope, std::int64_t>>;
  std::map<Key, double> maxima_;
  std::map<Key, reference::Rows> answers_;
};

}  // namespace flashscope::views
