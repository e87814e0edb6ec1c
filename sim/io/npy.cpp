// Whole .npy files: header, then elements.
#include "sim/io/npy.h"

#include <cassert>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/io/message_text.h"
#include "sim/io/npy_header.h"
#include "sim/io/write_file.h"

namespace flashscope::io {

Array read_npy(const std::string& path) { return parse_npy(map_file(path)); }

Array parse_npy(const FileBytes& file) {
  NpyHeader header = parse_npy_header(file.span(), file.name);
  check_npy_size(header, static_cast<std::int64_t>(file.size_bytes), file.name);
  Array array;
  array.type = header.type;
  array.strides =
      header.fortran_order ? column_major_strides(header.shape) : row_major_strides(header.shape);
  array.shape = std::move(header.shape);
  array.data = {file.data, file.data.get() + header.data_offset_bytes};
  return array;
}

void write_npy(const std::string& path, ElementType type, std::span<const std::int64_t> shape,
               std::span<const std::byte> elements) {
  if (type == ElementType::bf16 || type == ElementType::e4m3) {
    throw Error(fmt::format("{}: npy has no {}; write fp32, or a safetensors file", printable(path),
                            name_of(type)));
  }
  assert(byte_count(type, shape) == static_cast<std::int64_t>(elements.size()));
  AtomicFile file(path);
  file.write(npy_header_text(type, shape));
  file.write(elements);
  file.commit();
}

}  // namespace flashscope::io
