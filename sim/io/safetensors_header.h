// The JSON header of a .safetensors file, checked in full: which tensors, their types, shapes and
// places. Nothing is looked at beyond the header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/io/array.h"
#include "sim/io/file_bytes.h"

namespace flashscope::io {

struct SafetensorsEntry {
  std::string type_name;  // as in the file, perhaps one that is not ours
  std::vector<std::int64_t> shape;
  std::size_t begin_bytes = 0;  // both from the start of the file, inside it
  std::size_t end_bytes = 0;
};

// Throws Error, naming the file and the tensor or byte.
std::map<std::string, SafetensorsEntry> parse_safetensors_header(const FileBytes& file);

// The format's own names: F64, F32, F16, BF16, F8_E4M3.
std::string_view safetensors_name(ElementType type);
std::optional<ElementType> safetensors_type(std::string_view name);

}  // namespace flashscope::io
