// .npy files: round trips, files of numpy itself, and handwritten images of every error.
#include "sim/io/npy.h"

#include <random>

#include <doctest/doctest.h>

#include "tests/io/io_test_support.h"

using namespace flashscope::io;
using Shape = std::vector<std::int64_t>;

namespace {

const std::string kSix = raw<float>({0, 1, 2, 3, 4, 5});

std::string dictionary(const std::string& descr, const std::string& order,
                       const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

const std::string kGood = npy_image(dictionary("<f4", "False", "(2, 3)"), kSix);

std::string parse_error(const std::string& image) {
  return error_of([&] { parse_npy(bytes_of(image, "x.npy")); });
}

std::string header_error(const std::string& text) { return parse_error(npy_image(text, kSix)); }

}  // namespace

TEST_CASE("every type numpy knows survives a round trip, of any shape") {
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  const TemporaryFolder folder;
  for (const ElementType type : {ElementType::f64, ElementType::f32, ElementType::f16}) {
    for (std::size_t rank = 0; rank <= 4; ++rank) {
      Shape shape(rank);
      for (auto& extent : shape) extent = static_cast<std::int64_t>(random() % 5);
      std::string elements(static_cast<std::size_t>(byte_count(type, shape).value()), '\0');
      for (char& byte : elements) byte = static_cast<char>(random());
      CAPTURE(shape_text(shape));
      write_npy(folder / "x.npy", type, shape, as_bytes(elements));
      const Array array = read_npy(folder / "x.npy");
      CHECK(array.type == type);
      CHECK(array.shape == shape);
      CHECK(array.strides == row_major_strides(shape));
      CHECK(dense_bytes(array) == elements);
    }
  }
}

TEST_CASE("what is written is byte for byte what numpy writes") {
  const TemporaryFolder folder;
  write_npy(folder / "x.npy", ElementType::f32, Shape{6}, as_bytes(kSix));
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }";
  text += std::string(128 - 10 - 1 - text.size(), ' ') + '\n';
  CHECK(file_content(folder / "x.npy") == npy_image(text, kSix));
}

TEST_CASE("types that npy has not are refused when written") {
  const TemporaryFolder folder;
  const auto message =
      error_of([&] { write_npy(folder / "x.npy", ElementType::bf16, Shape{1}, as_bytes("ab")); });
  CHECK(contains(message, "npy has no bf16; write fp32, or a safetensors file"));
  CHECK(folder.file_count() == 0);
}

TEST_CASE("Fortran and C order give the same elements") {
  const std::string transposed = raw<float>({0, 3, 1, 4, 2, 5});
  const Array c = parse_npy(bytes_of(kGood));
  const Array fortran =
      parse_npy(bytes_of(npy_image(dictionary("<f4", "True", "(2, 3)"), transposed)));
  CHECK(c.strides == Shape{3, 1});
  CHECK(fortran.strides == Shape{1, 2});
  CHECK(elements_of(c) == std::vector<double>{0, 1, 2, 3, 4, 5});
  CHECK(elements_of(fortran) == elements_of(c));
}

TEST_CASE("a Fortran-order file that numpy saved is read") {
  const Array array = read_npy(FLASHSCOPE_SOURCE_DIR "/tests/data/numpy_fortran.npy");
  CHECK(array.type == ElementType::f64);
  CHECK(array.shape == Shape{2, 3});
  CHECK(array.strides == Shape{1, 2});
  CHECK(elements_of(array) == std::vector<double>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("the array keeps its file mapped, at whatever address") {
  Array array;
  {
    const FileBytes file = bytes_of(npy_image(dictionary("<f4", "False", "(6,)") + " ", kSix));
    array = parse_npy(file);
  }
  CHECK(elements_of(array) == std::vector<double>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("all three versions, any key order, spaces and quotes are read") {
  for (const char version : {'\1', '\2', '\3'}) {
    CHECK(
        parse_npy(bytes_of(npy_image(dictionary("<f4", "False", "(2, 3)"), kSix, version))).shape ==
        Shape{2, 3});
  }
  for (const char* text : {"{\"shape\":(2,3),'fortran_order':False,\"descr\":'<f4'}",
                           " { 'shape' : ( 2 , 3 , ) , 'descr' : '<f4' , 'fortran_order' : False }",
                           "{'fortran_order': False,\n'descr': '<f4', 'shape': (2, 3),}\t"}) {
    CHECK(header_error(text) == "");
  }
}

TEST_CASE("scalars and empty arrays are legal") {
  CHECK(parse_npy(bytes_of(npy_image(dictionary("<f8", "False", "()"), raw<double>({7}))))
            .shape.empty());
  const Array empty = parse_npy(bytes_of(npy_image(dictionary("<f2", "True", "(0, 4)"), "")));
  CHECK(empty.shape == Shape{0, 4});
  CHECK(empty.strides == Shape{1, 1});
}

TEST_CASE("every truncation of a file is an error") {
  for (std::size_t size = 0; size < kGood.size(); ++size) {
    CAPTURE(size);
    CHECK(contains(parse_error(kGood.substr(0, size)), "x.npy: truncated"));
  }
  CHECK(contains(parse_error(kGood.substr(0, kGood.size() - 1)), "needs 24 bytes, has 23"));
  CHECK(contains(parse_error(kGood + "more"), "needs 24 bytes, but 28 follow the header"));
}

TEST_CASE("other dtypes are refused with the numpy call that converts them") {
  const auto message = [](const std::string& descr) {
    return header_error(dictionary(descr, "False", "(6,)"));
  };
  CHECK(contains(message(">f4"), "('>f4') are big-endian; save x.astype('<f4') instead"));
  CHECK(contains(message("<i8"), "dtype '<i8' is not read"));
  CHECK(contains(message("<i8"), "save x.astype(np.float32) instead"));
  CHECK(contains(message("|O"), "dtype '|O' is not read"));
  CHECK(contains(message("<f16"), "dtype '<f16' is not read"));
  CHECK(contains(message("\x1b[2J"), "'\\x1b[2J'"));
  CHECK(contains(header_error("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,)}"),
                 "record dtypes are not read"));
}

TEST_CASE("broken dictionaries are refused with the byte") {
  const auto shape_error = [](const std::string& shape) {
    return header_error(dictionary("<f4", "False", shape));
  };
  CHECK(contains(header_error(""), "x.npy, byte 10: broken npy header: expected '{'"));
  CHECK(contains(header_error("{}"), "the key 'descr' is missing"));
  CHECK(contains(header_error("{'descr': '<f4', 'descr': '<f4'}"), "'descr' occurs twice"));
  CHECK(contains(header_error("{'color': 'red'}"), "byte 19: broken npy header: the key 'color'"));
  CHECK(contains(header_error("{'descr' '<f4'}"), "expected ':'"));
  CHECK(contains(header_error("{'descr': '<f4' 'shape': ()}"), "expected ',' or '}'"));
  CHECK(contains(header_error("{descr: '<f4'}"), "expected a key in quotes"));
  CHECK(contains(header_error("{'descr': 3}"), "expected a dtype in quotes"));
  CHECK(contains(header_error("{'descr': '<f4}"), "not closed"));
  CHECK(contains(header_error("{'de\\x73cr': 1}"), "a string holds a backslash"));
  CHECK(contains(header_error(dictionary("<f4", "0", "(6,)")), "expected True or False"));
  CHECK(contains(header_error(dictionary("<f4", "False", "(6,)") + "x"), "nothing after '}'"));
  CHECK(contains(shape_error("6"), "expected '('"));
  CHECK(contains(shape_error("(6)"), "written (n,)"));
  CHECK(contains(shape_error("(,)"), "expected a dimension"));
  CHECK(contains(shape_error("(2 3)"), "expected ',' or ')'"));
  CHECK(contains(shape_error("(-6,)"), "expected a dimension"));
  CHECK(contains(shape_error("(+6,)"), "expected a dimension"));
  CHECK(contains(shape_error("(06,)"), "starts with 0"));
  CHECK(contains(shape_error("(6.0,)"), "expected ',' or ')'"));
  CHECK(contains(shape_error("(9223372036854775808,)"), "does not fit 63 bits"));
  CHECK(contains(shape_error("(4294967296, 4294967296)"), "does not fit 63 bits"));
}

TEST_CASE("what is no npy file, or of an unknown version, is refused") {
  CHECK(contains(parse_error("PK\3\4 and so on"), "not an npy array"));
  CHECK(contains(parse_error(npy_image("", "", '\4')), "npy version 4.0 is not known"));
  CHECK(contains(parse_error(npy_image("", "", '\xFF')), "npy version 255.0 is not known"));
  CHECK(contains(parse_error(npy_image(std::string(70000, ' '), "", '\2')),
                 "the npy header claims 70000 bytes"));
}
