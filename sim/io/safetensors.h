// Tensors in .safetensors files (an 8-byte length, a JSON header, then the bytes), read in place.
// Element types other than F64, F32, F16, BF16 and F8_E4M3 may be in a file but can't be asked for;
// the __metadata__ entry is skipped. Checks follow the format's specification
// (github.com/huggingface/safetensors): no gaps, no overlaps, a header of at most 100 MB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sim/io/array.h"
#include "sim/io/file_bytes.h"
#include "sim/io/safetensors_header.h"

namespace flashscope::io {

class SafetensorsFile {
 public:
  // The whole header is checked here; both throw Error.
  static SafetensorsFile open(const std::string& path);
  static SafetensorsFile parse(FileBytes file);

  std::vector<std::string> names() const;  // sorted

  // In C order, sharing the mapping. Throws Error, listing names, when there is no such tensor, and
  // when its element type is not one of ours.
  Array tensor(const std::string& name) const;

 private:
  FileBytes file_;
  std::map<std::string, SafetensorsEntry> entries_;
};

struct NamedTensor {
  std::string name;  // UTF-8
  ElementType type = ElementType::f32;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> elements;  // exactly the bytes of the shape, C order
};

// The names must differ. Throws Error when the file can't be written.
void write_safetensors(const std::string& path, std::span<const NamedTensor> tensors);

}  // namespace flashscope::io
