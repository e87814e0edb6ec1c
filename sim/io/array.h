// An array as it lies in a file: element type, shape, strides and a pointer, nothing converted and
// nothing copied. Fortran order is only a choice of strides. Arithmetic on elements, and turning
// them into the simulator's tensors, is left to the callers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace flashscope::io {

// All little-endian. e4m3 is safetensors' F8_E4M3 (finite up to 448, no infinity).
enum class ElementType : std::uint8_t { f64, f32, f16, bf16, e4m3 };

constexpr std::int64_t bytes_per_element(ElementType type) {
  switch (type) {
    case ElementType::f64:
      return 8;
    case ElementType::f32:
      return 4;
    case ElementType::f16:
    case ElementType::bf16:
      return 2;
    case ElementType::e4m3:
      return 1;
  }
  return 0;
}

constexpr std::string_view name_of(ElementType type) {
  switch (type) {
    case ElementType::f64:
      return "fp64";
    case ElementType::f32:
      return "fp32";
    case ElementType::f16:
      return "fp16";
    case ElementType::bf16:
      return "bf16";
    case ElementType::e4m3:
      return "e4m3";
  }
  return "?";
}

// Element (i0, i1, …) starts at data + bytes_per_element(type) * (i0*strides[0] + i1*strides[1] +
// …). Files may place data at any address: read elements with memcpy, not through a typed pointer.
// Shape () is a scalar; a dimension of 0 leaves no element, and then data must not be read.
struct Array {
  ElementType type = ElementType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;      // in elements, as many as dimensions
  std::shared_ptr<const std::byte> data;  // the first element; keeps the file mapped
};

// Distances between neighbours along each dimension, in elements. A dimension of 0 counts as 1, as
// in numpy. The shape must have passed byte_count().
std::vector<std::int64_t> row_major_strides(std::span<const std::int64_t> shape);  // C order
std::vector<std::int64_t> column_major_strides(
    std::span<const std::int64_t> shape);  // Fortran order

// Bytes that a dense array takes; nothing when a dimension is negative, or when the strides or the
// bytes would not fit 63 bits.
std::optional<std::int64_t> byte_count(ElementType type, std::span<const std::int64_t> shape);

// "(2, 3)", "(4,)", "()": as Python writes a shape.
std::string shape_text(std::span<const std::int64_t> shape);

}  // namespace flashscope::io
