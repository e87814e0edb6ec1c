// What the tests of sim/io share: bytes in memory with exact bounds, error messages as values, a
// folder that is removed again, and elements as doubles. Nothing here is compiled into the library.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "sim/error.h"
#include "sim/io/array.h"
#include "sim/io/file_bytes.h"

namespace flashscope::io {

// A heap block of exactly this size, so that the address sanitizer sees a read past the end.
inline FileBytes bytes_of(std::string_view content, std::string name = "memory") {
  std::shared_ptr<std::byte> data(new std::byte[content.size()],
                                  std::default_delete<std::byte[]>());
  std::copy_n(reinterpret_cast<const std::byte*>(content.data()), content.size(), data.get());
  return {data, content.size(), std::move(name)};
}

// The message of the Error that the call throws, "" when it throws none, and "not one line: …" when
// a control character is in it.
template <typename Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    const std::string message = error.what();
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
    return (std::ranges::any_of(message, is_control) ? "not one line: " : "") + message;
  }
  return "";
}

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "flashscope-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  std::ptrdiff_t file_count() const {
    return std::distance(std::filesystem::directory_iterator(path_), {});
  }

 private:
  std::string path_;
};

inline std::string file_content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// All elements of an fp32 or fp64 array in row-major order, through its strides.
inline std::vector<double> elements_of(const Array& array) {
  const std::int64_t size = bytes_per_element(array.type);
  std::vector<double> result;
  const std::int64_t count = byte_count(array.type, array.shape).value() / size;
  for (std::int64_t flat = 0; flat < count; ++flat) {
    std::int64_t rest = flat;
    std::int64_t offset = 0;
    for (std::size_t axis = array.shape.size(); axis-- > 0; rest /= array.shape[axis]) {
      offset += rest % array.shape[axis] * array.strides[axis];
    }
    const std::byte* const source = array.data.get() + offset * size;
    double as_double = 0;
    float as_float = 0;
    if (array.type == ElementType::f64) std::memcpy(&as_double, source, sizeof as_double);
    if (array.type == ElementType::f32) std::memcpy(&as_float, source, sizeof as_float);
    result.push_back(array.type == ElementType::f64 ? as_double : static_cast<double>(as_float));
  }
  return result;
}

// The bytes of a dense C-order array, for comparing types that C++ has no arithmetic for.
inline std::string dense_bytes(const Array& array) {
  const auto count = static_cast<std::size_t>(byte_count(array.type, array.shape).value());
  return {reinterpret_cast<const char*>(array.data.get()), count};
}

template <typename T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

inline std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// A .npy file by hand: magic, version, length of the dictionary, dictionary, elements.
inline std::string npy_image(std::string_view dictionary, std::string_view elements,
                             char major = 1) {
  std::string image = "\x93NUMPY";
  image += {major, '\0'};
  const std::size_t length = dictionary.size();
  for (int byte = 0; byte < (major == 1 ? 2 : 4); ++byte) {
    image += static_cast<char>(length >> (8 * byte) & 0xFF);
  }
  return image.append(dictionary).append(elements);
}

}  // namespace flashscope::io
