// Tensors in HBM: four dimensions (batch, heads, rows, columns), any strides, one of the storage
// formats. A view never owns and never copies; rows are decoded to fp32 as they are read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "sim/attention/format.h"

namespace flashscope {

using Shape = std::array<std::int64_t, 4>;  // batch, heads, rows, columns

struct TensorView {
  const std::byte* data = nullptr;  // element (0, 0, 0, 0); need not be aligned
  Format format = Format::fp32;
  Shape shape{};
  Shape strides{};                    // in elements; any value, also 0 or negative
  std::shared_ptr<const void> owner;  // keeps `data` alive

  // Decodes one row: shape[3] values.
  void read_row(std::int64_t batch, std::int64_t head, std::int64_t row,
                std::span<float> values) const;
};

// A dense tensor that owns its bytes, in (batch, heads, rows, columns) order.
class Tensor {
 public:
  Tensor() = default;
  Tensor(Format format, const Shape& shape);  // zeros

  const Shape& shape() const { return shape_; }
  Format format() const { return format_; }
  TensorView view() const;  // shares the bytes
  std::span<const std::byte> bytes() const { return {bytes_.get(), size_bytes_}; }

  // Encodes to the tensor's format. Different rows may be written by different threads.
  void write_row(std::int64_t batch, std::int64_t head, std::int64_t row,
                 std::span<const float> values);
  void read_row(std::int64_t batch, std::int64_t head, std::int64_t row,
                std::span<float> values) const;
  float at(std::int64_t batch, std::int64_t head, std::int64_t row, std::int64_t column) const;

 private:
  std::byte* row(std::int64_t batch, std::int64_t head, std::int64_t row) const;

  Format format_ = Format::fp32;
  Shape shape_{};
  std::shared_ptr<std::byte[]> bytes_;
  std::size_t size_bytes_ = 0;
};

}  // namespace flashscope
