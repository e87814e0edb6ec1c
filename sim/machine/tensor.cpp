// Reading and writing rows of tensors; see tensor.h.
#include "sim/machine/tensor.h"

#include <cassert>
#include <cstring>

#include "sim/machine/numerics.h"

namespace flashscope {

void TensorView::read_row(std::int64_t batch, std::int64_t head, std::int64_t row,
                          std::span<float> values) const {
  assert(static_cast<std::int64_t>(values.size()) == shape[3]);
  const std::int64_t size = bytes_per_element(format);
  const std::byte* first =
      data + size * (batch * strides[0] + head * strides[1] + row * strides[2]);
  if (strides[3] == 1) {
    decode(format, first, values);
    return;
  }
  for (std::size_t c = 0; c < values.size(); ++c) {
    decode(format, first + size * strides[3] * static_cast<std::int64_t>(c), values.subspan(c, 1));
  }
}

Tensor::Tensor(Format format, const Shape& shape) : format_(format), shape_(shape) {
  size_bytes_ = static_cast<std::size_t>(shape[0] * shape[1] * shape[2] * shape[3] *
                                         bytes_per_element(format));
  bytes_ = std::shared_ptr<std::byte[]>(new std::byte[size_bytes_]());
}

TensorView Tensor::view() const {
  return {bytes_.get(),
          format_,
          shape_,
          {shape_[1] * shape_[2] * shape_[3], shape_[2] * shape_[3], shape_[3], 1},
          bytes_};
}

std::byte* Tensor::row(std::int64_t batch, std::int64_t head, std::int64_t row) const {
  const std::int64_t index = ((batch * shape_[1] + head) * shape_[2] + row) * shape_[3];
  return bytes_.get() + index * bytes_per_element(format_);
}

void Tensor::write_row(std::int64_t batch, std::int64_t head, std::int64_t r,
                       std::span<const float> values) {
  encode(format_, values, row(batch, head, r));
}

void Tensor::read_row(std::int64_t batch, std::int64_t head, std::int64_t r,
                      std::span<float> values) const {
  decode(format_, row(batch, head, r), values);
}

float Tensor::at(std::int64_t batch, std::int64_t head, std::int64_t r, std::int64_t column) const {
  float value = 0;
  decode(format_, row(batch, head, r) + column * bytes_per_element(format_), {&value, 1});
  return value;
}

}  // namespace flashscope
