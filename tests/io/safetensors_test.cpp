// .safetensors files: round trips, a handwritten image, and every error of the header.
#include "sim/io/safetensors.h"

#include <doctest/doctest.h>

#include "sim/io/write_file.h"
#include "tests/io/io_test_support.h"

using namespace flashscope::io;
using Shape = std::vector<std::int64_t>;

namespace {

std::string image_of(const std::string& json, const std::string& data) {
  return raw<std::uint64_t>({json.size()}) + json + data;
}

std::string entry(const std::string& name, const std::string& type, const std::string& shape,
                  const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + type + "\",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}";
}

std::string parse_error(const std::string& image) {
  return error_of([&] { SafetensorsFile::parse(bytes_of(image, "x.safetensors")); });
}

std::string header_error(const std::string& entries, const std::string& data = "12345678") {
  return parse_error(image_of("{" + entries + "}", data));
}

const std::string kGood =
    image_of("{\"__metadata__\":{\"format\":\"pt\"}," + entry("b", "F32", "[1,1]", "[8,12]") + "," +
                 entry("a", "F64", "[]", "[0,8]") + "," + entry("none", "F16", "[0,3]", "[8,8]") +
                 "," + entry("ids", "I64", "[1]", "[12,20]") + "}   ",
             raw<double>({2.5}) + raw<float>({-1}) + "12345678");

}  // namespace

TEST_CASE("every type survives a round trip") {
  const TemporaryFolder folder;
  const std::string bytes = "abcdefghijklmnopqrstuvwxyz012345";
  std::vector<NamedTensor> tensors;
  for (const ElementType type : {ElementType::e4m3, ElementType::f64, ElementType::bf16,
                                 ElementType::f16, ElementType::f32}) {
    const auto size = static_cast<std::size_t>(3 * bytes_per_element(type));
    tensors.push_back({std::string(name_of(type)), type, {3, 1}, as_bytes(bytes).first(size)});
  }
  tensors.push_back({"empty \"é\"", ElementType::f32, {0}, {}});
  write_safetensors(folder / "x.safetensors", tensors);
  const SafetensorsFile file = SafetensorsFile::open(folder / "x.safetensors");
  CHECK(file.names().size() == tensors.size());
  for (const NamedTensor& tensor : tensors) {
    const Array array = file.tensor(tensor.name);
    CHECK(array.type == tensor.type);
    CHECK(array.shape == tensor.shape);
    CHECK(dense_bytes(array) == bytes.substr(0, tensor.elements.size()));
  }
}

TEST_CASE("a file with metadata, padding, empty and foreign tensors is read") {
  const SafetensorsFile file = SafetensorsFile::parse(bytes_of(kGood, "x.safetensors"));
  CHECK(file.names() == std::vector<std::string>{"a", "b", "ids", "none"});
  CHECK(elements_of(file.tensor("a")) == std::vector<double>{2.5});
  CHECK(elements_of(file.tensor("b")) == std::vector<double>{-1});
  CHECK(file.tensor("none").shape == Shape{0, 3});
  CHECK(
      contains(error_of([&] { file.tensor("ids"); }), "tensor 'ids': the type 'I64' is not read"));
  CHECK(error_of([&] { file.tensor("q\n"); }) ==
        "x.safetensors: tensor 'q\\x0a' not found; the file has: 'a', 'b', 'ids', 'none'");
}

TEST_CASE("a tensor outlives the file object") {
  const Array array = SafetensorsFile::parse(bytes_of(kGood)).tensor("a");
  CHECK(elements_of(array) == std::vector<double>{2.5});
}

TEST_CASE("every truncation of a file is an error") {
  for (std::size_t size = 0; size < kGood.size(); ++size) {
    CAPTURE(size);
    CHECK(contains(parse_error(kGood.substr(0, size)), "truncated"));
  }
  CHECK(contains(parse_error(kGood + "!"), "1 bytes at the end belong to no tensor"));
}

TEST_CASE("a header that can't be one is refused") {
  CHECK(contains(parse_error(raw<std::uint64_t>({100'000'001})), "it claims 100000001 bytes"));
  CHECK(contains(parse_error(raw<std::uint64_t>({~std::uint64_t{0}})),
                 "the format allows 100000000"));
  CHECK(contains(parse_error(raw<std::uint64_t>({9}) + "{}"), "the header needs 9 bytes, has 2"));
  CHECK(contains(parse_error(image_of("", "")), "byte 8 is not '{'"));
  CHECK(contains(parse_error(image_of("[]", "")), "byte 8 is not '{'"));
  CHECK(contains(parse_error(image_of("{\"a\" 1}", "")), "not JSON at byte 13"));
  CHECK(contains(parse_error(image_of("{} x", "")), "not JSON at byte 11"));
  CHECK(contains(parse_error(image_of("{\"\xFF\":1}", "")), "not JSON at byte 10"));
  CHECK(contains(parse_error(image_of("{\"a\":1e999}", "")), "too large"));
  CHECK(contains(parse_error(image_of(std::string("{}\0 ", 4), "")), "byte 10 is zero"));
  CHECK(contains(parse_error(image_of("{\"a\":" + std::string(1'000'000, '['), "")),
                 "nested too deeply"));
  CHECK(contains(
      header_error(entry("a", "F32", "[2]", "[0,8]") + "," + entry("a", "F32", "[2]", "[0,8]")),
      "the key 'a' occurs twice"));
  CHECK(
      contains(header_error("\"a\":{\"shape\":[],\"shape\":[]}"), "the key 'shape' occurs twice"));
  CHECK(parse_error(image_of("{}", "")) == "");
}

TEST_CASE("a tensor that is not described as it must be is refused by name") {
  CHECK(contains(header_error("\"a\\n\":1"), "tensor 'a\\x0a': is not described by an object"));
  CHECK(contains(header_error("\"a\":{}"), "tensor 'a': has no dtype"));
  CHECK(contains(header_error("\"a\":{\"dtype\":\"F32\"}"), "tensor 'a': has no shape"));
  CHECK(contains(header_error("\"a\":{\"dtype\":4,\"shape\":[]}"), "dtype is not a string"));
  for (const char* shape : {"2", "[-1]", "[2.0]", "[\"2\"]", "[9223372036854775808]"}) {
    CHECK(contains(header_error(entry("a", "F32", shape, "[0,8]")),
                   "tensor 'a': shape is not a list of integers"));
  }
  for (const char* offsets : {"[8]", "[0,4,8]", "[8,0]"}) {
    CHECK(contains(header_error(entry("a", "F32", "[2]", offsets)), "not a pair begin <= end"));
  }
}

TEST_CASE("sizes and places that do not fit are refused") {
  const auto tensors = [](const std::string& first, const std::string& second) {
    return header_error(entry("a", "F32", "[1]", first) + "," + entry("b", "F32", "[1]", second));
  };
  CHECK(contains(header_error(entry("a", "F32", "[3]", "[0,8]")),
                 "tensor 'a': F32 of shape (3,) needs 12 bytes, data_offsets give 8"));
  CHECK(contains(header_error(entry("a", "F32", "[4294967296,4294967296]", "[0,8]")),
                 "tensor 'a': shape (4294967296, 4294967296) does not fit 63 bits"));
  CHECK(contains(header_error(entry("a", "F32", "[2]", "[4,12]")),
                 "truncated: it ends at data byte 12, the file has 8"));
  CHECK(
      contains(header_error(entry("a", "F32", "[2]", "[9223372036854775800,9223372036854775807]")),
               "truncated"));
  CHECK(contains(tensors("[0,4]", "[0,4]"), "tensor 'b': it overlaps another"));
  CHECK(contains(header_error(entry("a", "F16", "[2]", "[4,8]")), "tensor 'a': a gap before"));
  CHECK(tensors("[4,8]", "[0,4]") == "");
}
