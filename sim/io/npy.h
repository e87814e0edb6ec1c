// Arrays in numpy's .npy files, read in place: C and Fortran order, fp64, fp32 and fp16,
// little-endian. Other dtypes, pickled objects and appended arrays are left out and refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sim/io/array.h"
#include "sim/io/file_bytes.h"

namespace flashscope::io {

// Throws Error, naming the file, for anything but one whole array of a supported dtype.
Array read_npy(const std::string& path);
Array parse_npy(const FileBytes& file);

// Writes a version 1.0 file in C order. `elements` holds exactly the bytes of the shape. Throws
// Error for bf16 and e4m3, which numpy has no dtype for, and when the file can't be written.
void write_npy(const std::string& path, ElementType type, std::span<const std::int64_t> shape,
               std::span<const std::byte> elements);

}  // namespace flashscope::io
