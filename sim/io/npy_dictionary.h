// The dictionary literal inside a .npy header, as text: which keys, which values, nothing about
// what they mean. Strict about Python's syntax; free in the order of keys, spaces and a last comma.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace flashscope::io {

struct NpyDictionary {
  std::string_view descr;  // a part of the parsed text
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

// `first_byte` is the place of the text in its file, for messages. Throws Error.
NpyDictionary parse_npy_dictionary(std::string_view text, std::size_t first_byte,
                                   std::string_view name);

}  // namespace flashscope::io
