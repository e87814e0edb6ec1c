// Rounding to the number formats of format.h, bit for bit as a GPU's conversion instructions do it:
// to nearest, ties to even, subnormals kept. What differs between formats is the far end:
//   fp16, bf16   too large becomes infinity
//   e4m3         has no infinity: too large, and infinity itself, becomes 448 with the sign kept
//                (CUDA's __nv_cvt_float_to_fp8 with __NV_SATFINITE)
// A NaN of any kind becomes the one positive quiet NaN of the format: 0x7fff, 0x7fff, 0x7f; fp32 is
// copied as it is. Left out: other rounding modes, and block scales, which are a matter of tensors.
#pragma once

#include <cstddef>
#include <span>

#include "sim/attention/format.h"

namespace flashscope {

// values -> values.size() * bytes_per_element(format) bytes at `out`, little-endian, at any
// address.
void encode(Format format, std::span<const float> values, std::byte* out);

// The reverse, exact: every value of every format is an fp32 value. `in` may be any address.
void decode(Format format, const std::byte* in, std::span<float> values);

// The nearest value of the format, kept as fp32: decode(encode(value)).
float round_to(Format format, float value);

// round_to() of every element, at about a tenth of a nanosecond each when vectorised.
void round_in_place(Format format, std::span<float> values);

}  // namespace flashscope
