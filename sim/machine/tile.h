// A tile on chip: the values of one Buffer, in fp32 whatever format they are rounded to. Tiles that
// are only ever loaded keep the row order of HBM; tiles that are computed on are column by column,
// so that the rows' maxima, sums and factors are plain vector operations.
#pragma once

#include <cstdint>

#include <Eigen/Core>

namespace flashscope {

struct Tile {
  std::int64_t rows = 0, columns = 0;
  bool row_major = false;
  Eigen::MatrixXf values;  // (rows x columns); its transpose when row_major
  // Key rows that hold NaN or inf (tiles whose rows are keys): 0 * inf must not leak into P V.
  bool has_non_finite = false;

  void resize(std::int64_t new_rows, std::int64_t new_columns) {
    rows = new_rows;
    columns = new_columns;
    if (row_major) {
      values.resize(columns, rows);
    } else {
      values.resize(rows, columns);
    }
  }
  float at(std::int64_t row, std::int64_t column) const {
    return row_major ? values(column, row) : values(row, column);
  }
  float& at(std::int64_t row, std::int64_t column) {
    return row_major ? values(column, row) : values(row, column);
  }
};

}  // namespace flashscope
