// Reads and writes the header of a .npy file; the dictionary in it is parsed by npy_dictionary.
#include "sim/io/npy_header.h"

#include <cassert>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/io/message_text.h"
#include "sim/io/npy_dictionary.h"

namespace flashscope::io {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kVersionBytes = 2;
constexpr std::size_t kAlignmentBytes = 64;

ElementType element_type(std::string_view descr, std::string_view name) {
  if (descr == "<f8") return ElementType::f64;
  if (descr == "<f4") return ElementType::f32;
  if (descr == "<f2") return ElementType::f16;
  if (descr == ">f8" || descr == ">f4" || descr == ">f2") {
    throw Error(fmt::format("{}: the elements ({}) are big-endian; save x.astype('<{}') instead",
                            name, quoted_name(descr), descr.substr(1)));
  }
  throw Error(
      fmt::format("{}: the dtype {} is not read, only '<f2', '<f4' and '<f8' are; save "
                  "x.astype(np.float32) instead",
                  name, quoted_name(descr)));
}

std::size_t little_endian(std::span<const std::byte> bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | std::to_integer<size_t>(bytes[i]);
  return value;
}

// Throws unless `start` reaches to `end_bytes`.
void require_bytes(std::span<const std::byte> start, std::size_t end_bytes, std::string_view name) {
  if (start.size() >= end_bytes) return;
  throw Error(fmt::format("{}: truncated: the npy header needs {} bytes, the file has {}", name,
                          end_bytes, start.size()));
}

}  // namespace

NpyHeader parse_npy_header(std::span<const std::byte> start, std::string_view name) {
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  if (!kMagic.starts_with(text.substr(0, kMagic.size()))) {
    throw Error(
        fmt::format("{}: not an npy array (it does not start with \\x93NUMPY); name a FILE.npy or "
                    "FILE.npz:MEMBER that numpy saved",
                    name));
  }
  std::size_t offset = kMagic.size() + kVersionBytes;
  require_bytes(start, offset, name);
  const int major = std::to_integer<int>(start[kMagic.size()]);
  const int minor = std::to_integer<int>(start[kMagic.size() + 1]);
  if (major < 1 || major > 3 || minor != 0) {
    throw Error(fmt::format("{}: npy version {}.{} is not known, only 1.0, 2.0 and 3.0 are", name,
                            major, minor));
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  require_bytes(start, offset + length_bytes, name);
  const std::size_t dictionary_bytes = little_endian(start.subspan(offset, length_bytes));
  offset += length_bytes;
  if (dictionary_bytes > kMaxNpyDictionaryBytes) {
    throw Error(fmt::format("{}: the npy header claims {} bytes, more than the {} that are read",
                            name, dictionary_bytes, kMaxNpyDictionaryBytes));
  }
  require_bytes(start, offset + dictionary_bytes, name);

  NpyDictionary dictionary =
      parse_npy_dictionary(text.substr(offset, dictionary_bytes), offset, name);
  NpyHeader header;
  header.type = element_type(dictionary.descr, name);
  header.fortran_order = dictionary.fortran_order;
  header.shape = std::move(dictionary.shape);
  header.data_offset_bytes = static_cast<std::int64_t>(offset + dictionary_bytes);
  const auto bytes = byte_count(header.type, header.shape);
  if (!bytes) {
    throw Error(fmt::format("{}: an array of {} does not fit 63 bits; is the header damaged?", name,
                            describe_shape(header.shape)));
  }
  header.data_bytes = *bytes;
  return header;
}

void check_npy_size(const NpyHeader& header, std::int64_t file_bytes, std::string_view name) {
  const std::int64_t present_bytes = file_bytes - header.data_offset_bytes;
  if (present_bytes == header.data_bytes) return;
  const std::string what =
      fmt::format("{} array of {}", name_of(header.type), describe_shape(header.shape));
  if (present_bytes < header.data_bytes) {
    throw Error(fmt::format("{}: truncated: its {} needs {} bytes, has {}; save it again", name,
                            what, header.data_bytes, present_bytes));
  }
  throw Error(
      fmt::format("{}: its {} needs {} bytes, but {} follow the header: the header is wrong, or "
                  "something was appended; save it again",
                  name, what, header.data_bytes, present_bytes));
}

std::string npy_header_text(ElementType type, std::span<const std::int64_t> shape) {
  assert(type == ElementType::f64 || type == ElementType::f32 || type == ElementType::f16);
  std::string dictionary = fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': {}, }}",
                                       bytes_per_element(type), shape_text(shape));
  const std::size_t preamble_bytes = kMagic.size() + kVersionBytes + 2;
  while ((preamble_bytes + dictionary.size() + 1) % kAlignmentBytes != 0) dictionary += ' ';
  dictionary += '\n';
  assert(dictionary.size() < kMaxNpyDictionaryBytes);
  std::string header(kMagic);
  header += {'\x01', '\x00', static_cast<char>(dictionary.size() & 0xFF),
             static_cast<char>(dictionary.size() >> 8)};
  return header + dictionary;
}

}  // namespace flashscope::io
