// One array from what a user types: "x.npy" or "x.npz:member". Safetensors files hold many tensors
// that belong together and are read through SafetensorsFile instead.
#pragma once

#include <string>

#include "sim/io/array.h"

namespace flashscope::io {

// Throws Error; for an .npz without a member the message lists those there.
Array read_array(const std::string& spec);

}  // namespace flashscope::io
