// Number formats that tensors are stored in and that stages of an algorithm are rounded to.
// Only names and sizes live here; the rounding itself is in sim/machine/numerics.h.
#pragma once

#include <cstdint>
#include <string_view>

namespace flashscope {

// e4m3 is the OCP FP8 format with 4 exponent and 3 mantissa bits: finite up to 448, no infinity.
enum class Format : std::uint8_t { fp32, fp16, bf16, e4m3 };

constexpr std::int64_t bytes_per_element(Format format) {
  switch (format) {
    case Format::fp32:
      return 4;
    case Format::fp16:
    case Format::bf16:
      return 2;
    case Format::e4m3:
      return 1;
  }
  return 0;
}

constexpr std::string_view name_of(Format format) {
  switch (format) {
    case Format::fp32:
      return "fp32";
    case Format::fp16:
      return "fp16";
    case Format::bf16:
      return "bf16";
    case Format::e4m3:
      return "e4m3";
  }
  return "?";
}

}  // namespace flashscope
