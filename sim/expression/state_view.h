// What a state expression reads: numbers and tiles of a simulation that somebody else owns. Names
// become indices when an expression is parsed, so nothing here knows what a tile holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace flashscope::expression {

// A tile of floats where it lies, not copied: element (r, c) is data[r * row_stride + c *
// column_stride]. No rows or no columns: it holds nothing yet.
struct TileRef {
  const float* data = nullptr;
  std::int64_t rows = 0, columns = 0;
  std::int64_t row_stride = 1, column_stride = 0;
  bool is_vector = false;  // one number per row: columns is 1 and elements have one index

  bool empty() const { return rows == 0 || columns == 0; }
  float at(std::int64_t row, std::int64_t column) const {
    return data[row * row_stride + column * column_stride];
  }
};

// A word that stands for a number, such as full for 2 in `tile_class == full`.
struct NamedNumber {
  std::string name;
  double number = 0;
};

// The names an expression may use besides `inf`. Of equal names the first counts, scalars before
// tiles before words.
struct StateVocabulary {
  std::vector<std::string> scalars;
  std::vector<std::string> tiles;
  std::vector<NamedNumber> words;
};

// Indices are those of the StateVocabulary. What a view hands out stays valid during one
// evaluation.
class StateView {
 public:
  virtual ~StateView() = default;
  virtual double scalar(int index) const = 0;
  virtual TileRef tile(int index) const = 0;
  // The row of this tile that holds row `global_row` of the whole tensor (a query row for S or m, a
  // key for K); nothing when that row is in another tile. May throw Error for a row that never is.
  virtual std::optional<std::int64_t> local_row(int tile, std::int64_t global_row) const = 0;
};

}  // namespace flashscope::expression
