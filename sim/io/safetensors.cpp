// Tensors of a .safetensors file, and writing one.
#include "sim/io/safetensors.h"

#include <cassert>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/error.h"
#include "sim/io/message_text.h"
#include "sim/io/write_file.h"

namespace flashscope::io {

SafetensorsFile SafetensorsFile::open(const std::string& path) { return parse(map_file(path)); }

SafetensorsFile SafetensorsFile::parse(FileBytes file) {
  SafetensorsFile result;
  result.entries_ = parse_safetensors_header(file);
  result.file_ = std::move(file);
  return result;
}

std::vector<std::string> SafetensorsFile::names() const {
  std::vector<std::string> result;
  for (const auto& [name, entry] : entries_) result.push_back(name);
  return result;
}

Array SafetensorsFile::tensor(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    throw Error(fmt::format("{}: tensor {} not found; the file has: {}", file_.name,
                            quoted_name(name), name_list(names())));
  }
  const SafetensorsEntry& entry = found->second;
  const auto type = safetensors_type(entry.type_name);
  if (!type) {
    throw Error(
        fmt::format("{}: tensor {}: the type {} is not read, only F64, F32, F16, BF16 and "
                    "F8_E4M3 are; save tensor.to(torch.float32) instead",
                    file_.name, quoted_name(name), quoted_name(entry.type_name)));
  }
  return {*type,
          entry.shape,
          row_major_strides(entry.shape),
          {file_.data, file_.data.get() + entry.begin_bytes}};
}

void write_safetensors(const std::string& path, std::span<const NamedTensor> tensors) {
  nlohmann::json header = nlohmann::json::object();
  std::size_t offset = 0;
  for (const NamedTensor& tensor : tensors) {
    assert(byte_count(tensor.type, tensor.shape) ==
           static_cast<std::int64_t>(tensor.elements.size()));
    assert(!header.contains(tensor.name));
    const std::size_t end = offset + tensor.elements.size();
    header[tensor.name] = {{"dtype", safetensors_name(tensor.type)},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // elements start at a multiple of 8 bytes
  const std::uint64_t length = text.size();

  AtomicFile file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(text);
  for (const NamedTensor& tensor : tensors) file.write(tensor.elements);
  file.commit();
}

}  // namespace flashscope::io
