// A scenario from somebody's own tensors: arrays as they lie in .npy, .npz or .safetensors files,
// viewed through their strides, not copied (fp64 is converted to fp32).
#pragma once

#include <string>

#include "sim/io/array.h"
#include "sim/scenario/scenario.h"

namespace flashscope {

enum class Layout : std::uint8_t { bhsd, bshd };

// (batch, heads, rows, columns) from an array of 2 (rows, columns), 3 (heads, rows, columns or
// rows, heads, columns) or 4 dimensions. Throws Error, naming `what`, for other ranks.
TensorView tensor_view(const io::Array& array, Layout layout, const std::string& what);

// Shapes, dtype and scale (head_dim^-1/2) come from the arrays; the mask is none. Throws Error when
// the shapes do not belong together or the element types differ.
Scenario scenario_from_arrays(const io::Array& q, const io::Array& k, const io::Array& v,
                              Layout layout, const std::string& title);

}  // namespace flashscope
