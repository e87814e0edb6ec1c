// What the fuzz targets of sim/io share: the input as file bytes with exact bounds, and what must
// hold for whatever comes out of a reader.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "sim/error.h"
#include "sim/io/array.h"
#include "sim/io/file_bytes.h"

namespace flashscope::fuzz {

// A copy, so that the address sanitizer sees a read past the end.
inline io::FileBytes bytes_of(const std::uint8_t* data, std::size_t size_bytes) {
  std::shared_ptr<std::byte> copy(new std::byte[size_bytes], std::default_delete<std::byte[]>());
  std::transform(data, data + size_bytes, copy.get(), [](std::uint8_t b) { return std::byte{b}; });
  return {copy, size_bytes, "input"};
}

// The strides reach exactly the bytes of the shape, and those can be read.
inline void touch_elements(const io::Array& array) {
  const auto bytes = io::byte_count(array.type, array.shape);
  if (!bytes || array.strides.size() != array.shape.size()) std::abort();
  if (*bytes == 0) return;
  std::int64_t last = 0;
  for (std::size_t axis = 0; axis < array.shape.size(); ++axis) {
    last += (array.shape[axis] - 1) * array.strides[axis];
  }
  if ((last + 1) * io::bytes_per_element(array.type) != *bytes) std::abort();
  const volatile std::byte* const elements = array.data.get();
  static_cast<void>(elements[0]);
  static_cast<void>(elements[*bytes - 1]);
}

inline void require_one_line(const Error& error) {
  for (const char character : std::string_view(error.what())) {
    if (static_cast<unsigned char>(character) < 0x20) std::abort();
  }
}

}  // namespace flashscope::fuzz
