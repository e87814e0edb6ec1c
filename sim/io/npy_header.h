// The header of a .npy file: magic, version, and a Python dictionary that tells dtype, order and
// shape (numpy.lib.format, versions 1.0, 2.0 and 3.0). Only little-endian floats are read; other
// dtypes are refused with the numpy call that converts them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/io/array.h"

namespace flashscope::io {

struct NpyHeader {
  ElementType type = ElementType::f32;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::int64_t data_offset_bytes = 0;  // where the elements start in the file
  std::int64_t data_bytes = 0;         // what they take
};

// Longer headers occur only for record dtypes, which are not read.
constexpr std::size_t kMaxNpyDictionaryBytes = 65536;
constexpr std::size_t kMaxNpyPreambleBytes = 12 + kMaxNpyDictionaryBytes;

// `start` is the file, or at least its first kMaxNpyPreambleBytes. Throws Error that begins with
// `name` and, inside the dictionary, gives the byte of the file.
NpyHeader parse_npy_header(std::span<const std::byte> start, std::string_view name);

// Throws Error unless a file of this many bytes holds the header, the elements and nothing more.
void check_npy_size(const NpyHeader& header, std::int64_t file_bytes, std::string_view name);

// The version 1.0 header that numpy would write, padded so that the elements start at a multiple of
// 64 bytes. The type must be f64, f32 or f16.
std::string npy_header_text(ElementType type, std::span<const std::int64_t> shape);

}  // namespace flashscope::io
