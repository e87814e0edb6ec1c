// Reads the header with nlohmann's parser; its callback sees what the finished document no longer
// shows: duplicate keys, and nesting before it is built.
#include "sim/io/safetensors_header.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/error.h"
#include "sim/io/message_text.h"

namespace flashscope::io {
namespace {

using Json = nlohmann::json;
using Entries = std::map<std::string, SafetensorsEntry>;

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the limit of the format's own library
constexpr int kMaxDepth = 3;                            // tensors, fields of one, its shape

constexpr std::array<std::pair<ElementType, std::string_view>, 5> kTypeNames = {
    {{ElementType::f64, "F64"},
     {ElementType::f32, "F32"},
     {ElementType::f16, "F16"},
     {ElementType::bf16, "BF16"},
     {ElementType::e4m3, "F8_E4M3"}}};

[[noreturn]] void fail(const FileBytes& file, std::string_view what) {
  throw Error(fmt::format("{}: broken safetensors header: {}", file.name, what));
}

[[noreturn]] void fail_tensor(const FileBytes& file, std::string_view tensor,
                              std::string_view what) {
  throw Error(fmt::format("{}: tensor {}: {}", file.name, quoted_name(tensor), what));
}

// The JSON text between the length and the data.
std::string_view header_text(const FileBytes& file) {
  if (file.size_bytes < kLengthBytes) {
    throw Error(
        fmt::format("{}: truncated: a safetensors file starts with {} bytes of length, has {}",
                    file.name, kLengthBytes, file.size_bytes));
  }
  std::uint64_t length = 0;
  std::memcpy(&length, file.data.get(), kLengthBytes);
  if (length > kMaxHeaderBytes) {
    fail(file, fmt::format("it claims {} bytes, the format allows {}; is this a safetensors file?",
                           length, kMaxHeaderBytes));
  }
  if (length > file.size_bytes - kLengthBytes) {
    throw Error(fmt::format("{}: truncated: the header needs {} bytes, has {}", file.name, length,
                            file.size_bytes - kLengthBytes));
  }
  const auto* const begin = reinterpret_cast<const char*>(file.data.get()) + kLengthBytes;
  const std::string_view text(begin, static_cast<std::size_t>(length));
  if (!text.starts_with('{')) fail(file, "byte 8 is not '{'; is this a safetensors file?");
  // The parser would take a zero byte for the end of the text.
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos) {
    fail(file, fmt::format("byte {} is zero", kLengthBytes + zero));
  }
  return text;
}

Json parse_json(std::string_view text, const FileBytes& file) {
  std::vector<std::set<std::string>> keys;  // of each open object
  const auto check = [&](int depth, Json::parse_event_t event, const Json& parsed) {
    const bool opens =
        event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    if (opens && depth >= kMaxDepth) fail(file, "it is nested too deeply");
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys.back().insert(key).second) {
        fail(file, fmt::format("the key {} occurs twice", quoted_name(key)));
      }
    }
    return true;
  };
  try {
    return Json::parse(text, check);
  } catch (const Json::parse_error& error) {
    fail(file, fmt::format("not JSON at byte {}",
                           kLengthBytes + std::max<std::size_t>(error.byte, 1) - 1));
  } catch (const Json::exception&) {
    fail(file, "a number in it is too large");
  }
}

const Json& field(const Json& tensor, const char* key, const FileBytes& file,
                  const std::string& name) {
  const auto found = tensor.find(key);
  if (found == tensor.end()) fail_tensor(file, name, fmt::format("has no {}", key));
  return *found;
}

std::vector<std::int64_t> integers(const Json& list, const char* key, const FileBytes& file,
                                   const std::string& name) {
  std::vector<std::int64_t> result;
  bool valid = list.is_array();
  for (std::size_t i = 0; valid && i < list.size(); ++i) {
    valid =
        list[i].is_number_unsigned() && std::in_range<std::int64_t>(list[i].get<std::uint64_t>());
    if (valid) result.push_back(list[i].get<std::int64_t>());
  }
  if (!valid) {
    fail_tensor(file, name, fmt::format("{} is not a list of integers from 0 to 2^63 - 1", key));
  }
  return result;
}

SafetensorsEntry parse_entry(const std::string& name, const Json& value, std::size_t data_begin,
                             const FileBytes& file) {
  if (!value.is_object()) fail_tensor(file, name, "is not described by an object");
  const Json& type_name = field(value, "dtype", file, name);
  if (!type_name.is_string()) fail_tensor(file, name, "dtype is not a string");
  SafetensorsEntry entry;
  entry.type_name = type_name.get<std::string>();
  entry.shape = integers(field(value, "shape", file, name), "shape", file, name);
  const auto offsets =
      integers(field(value, "data_offsets", file, name), "data_offsets", file, name);
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    fail_tensor(file, name, "data_offsets is not a pair begin <= end");
  }
  const auto begin = static_cast<std::size_t>(offsets[0]);
  const auto end = static_cast<std::size_t>(offsets[1]);
  const std::size_t data_bytes = file.size_bytes - data_begin;
  if (end > data_bytes) {
    fail_tensor(
        file, name,
        fmt::format("truncated: it ends at data byte {}, the file has {}", end, data_bytes));
  }
  entry.begin_bytes = data_begin + begin;
  entry.end_bytes = data_begin + end;

  const auto type = safetensors_type(entry.type_name);
  if (!type) return entry;
  const auto needed = byte_count(*type, entry.shape);
  if (!needed) fail_tensor(file, name, describe_shape(entry.shape) + " does not fit 63 bits");
  if (*needed != offsets[1] - offsets[0]) {
    fail_tensor(file, name,
                fmt::format("{} of {} needs {} bytes, data_offsets give {}", entry.type_name,
                            describe_shape(entry.shape), *needed, offsets[1] - offsets[0]));
  }
  return entry;
}

// The format wants every data byte to belong to exactly one tensor.
void check_layout(const Entries& entries, std::size_t data_begin, const FileBytes& file) {
  std::vector<Entries::const_iterator> order;
  for (auto entry = entries.begin(); entry != entries.end(); ++entry) order.push_back(entry);
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::pair(a->second.begin_bytes, a->second.end_bytes) <
           std::pair(b->second.begin_bytes, b->second.end_bytes);
  });
  std::size_t expected = data_begin;
  for (const auto& entry : order) {
    if (entry->second.begin_bytes != expected) {
      const bool gap = entry->second.begin_bytes > expected;
      fail_tensor(file, entry->first,
                  fmt::format("{} at byte {} of the file: tensors must follow each other",
                              gap ? "a gap before it begins" : "it overlaps another",
                              std::min(expected, entry->second.begin_bytes)));
    }
    expected = entry->second.end_bytes;
  }
  if (expected != file.size_bytes) {
    fail(file, fmt::format("{} bytes at the end belong to no tensor", file.size_bytes - expected));
  }
}

}  // namespace

std::map<std::string, SafetensorsEntry> parse_safetensors_header(const FileBytes& file) {
  const std::string_view text = header_text(file);
  const std::size_t data_begin = kLengthBytes + text.size();
  const Json header = parse_json(text, file);
  Entries entries;
  for (const auto& [name, value] : header.items()) {
    if (name != "__metadata__") entries[name] = parse_entry(name, value, data_begin, file);
  }
  check_layout(entries, data_begin, file);
  return entries;
}

std::string_view safetensors_name(ElementType type) {
  for (const auto& [known, name] : kTypeNames) {
    if (known == type) return name;
  }
  return "?";
}

std::optional<ElementType> safetensors_type(std::string_view name) {
  for (const auto& [type, known] : kTypeNames) {
    if (known == name) return type;
  }
  return std::nullopt;
}

}  // namespace flashscope::io
