// .npz archives: of numpy, made here with libzip, and damaged ones.
#include "sim/io/npz.h"

#include <map>

#include <doctest/doctest.h>
#include <zip.h>

#include "sim/io/read_array.h"
#include "sim/io/write_file.h"
#include "tests/io/io_test_support.h"

using namespace flashscope::io;
using Shape = std::vector<std::int64_t>;

namespace {

const std::string kNumpySmall = FLASHSCOPE_SOURCE_DIR "/tests/data/numpy_small.npz";
const std::string kDictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
const std::string kArray = npy_image(kDictionary, raw<float>({0, 1, 2, 3, 4, 5}));

// The bytes of a zip archive with these members.
std::string zip_image(const std::map<std::string, std::string>& members, zip_int32_t method) {
  const TemporaryFolder folder;
  const std::string path = folder / "made.zip";
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  REQUIRE(archive);
  for (const auto& [name, content] : members) {
    zip_source_t* source = zip_source_buffer(archive, content.data(), content.size(), 0);
    const zip_int64_t index = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
    REQUIRE(index >= 0);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), method, 9);
  }
  REQUIRE(zip_close(archive) == 0);
  return file_content(path);
}

std::string member_error(const std::string& image, const std::string& member = "q") {
  return error_of([&] { parse_npz_member(bytes_of(image, "x.npz"), member); });
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto place = text.find(from); place != std::string::npos; place = text.find(from)) {
    text.replace(place, from.size(), to);
  }
  return text;
}

}  // namespace

TEST_CASE("members of an archive that numpy saved are read, with or without .npy") {
  const Array q = read_array(kNumpySmall + ":q");
  CHECK(q.type == ElementType::f32);
  CHECK(q.shape == Shape{2, 3});
  CHECK(elements_of(q) == std::vector<double>{0, 1, 2, 3, 4, 5});
  CHECK(elements_of(read_npz_member(kNumpySmall, "q.npy")) == elements_of(q));
  CHECK(dense_bytes(read_array(kNumpySmall + ":half")) ==
        raw<std::uint16_t>({0x3800, 0xC000, 0x7BFF}));
  CHECK(read_array(kNumpySmall + ":empty").shape == Shape{0, 4});
  CHECK(contains(error_of([] { read_array(kNumpySmall + ":ints"); }),
                 "numpy_small.npz:ints: the dtype '<i8' is not read"));
}

TEST_CASE("an npz without a member, or with a wrong one, lists the members") {
  CHECK(npz_members(kNumpySmall) == std::vector<std::string>{"q", "half", "ints", "empty"});
  CHECK(contains(error_of([] { read_array(kNumpySmall); }),
                 "npz:NAME; the archive has: 'q', 'half', 'ints', 'empty'"));
  CHECK(contains(error_of([] { read_array(kNumpySmall + ":k"); }),
                 "member 'k' not found; the archive has: 'q', 'half', 'ints', 'empty'"));
  CHECK(contains(error_of([] { read_array(kNumpySmall + ":"); }), "member '' not found"));
  const std::string named = zip_image({{"evil!!.npy", kArray}}, ZIP_CM_STORE);
  CHECK(contains(member_error(replaced(named, "!!", "\x1b\n")), "has: 'evil\\x1b\\x0a'"));
}

TEST_CASE("a spec that is no npz is read as an npy file") {
  const TemporaryFolder folder;
  write_text(folder / "a:b.npy", kArray);
  CHECK(read_array(folder / "a:b.npy").shape == Shape{2, 3});
  CHECK(contains(error_of([] { read_array("missing.npz:q"); }), "missing.npz: can't be opened"));
}

TEST_CASE("stored and deflated members give the same elements") {
  for (const zip_int32_t method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    const std::string image = zip_image({{"q.npy", kArray}, {"bare", kArray}}, method);
    const Array array = parse_npz_member(bytes_of(image), "q");
    CHECK(elements_of(array) == std::vector<double>{0, 1, 2, 3, 4, 5});
    CHECK(elements_of(parse_npz_member(bytes_of(image), "bare")) == elements_of(array));
  }
}

TEST_CASE("a member larger than its npy header declares is refused before it is unpacked") {
  const std::string bomb = zip_image({{"q.npy", kArray + std::string(5'000'000, '\0')}}, 8);
  CHECK(bomb.size() < 10'000);
  CHECK(contains(member_error(bomb), "x.npz:q: its fp32 array of shape (2, 3) needs 24 bytes"));
}

TEST_CASE("a size that deflate can't reach is refused before memory is asked for") {
  std::string image = zip_image({{"q.npy", kArray}}, ZIP_CM_DEFLATE);
  const std::size_t entry = image.find("PK\1\2");
  image.replace(entry + 24, 4, "\xFF\xFF\xFF\x7F");  // uncompressed size, central directory
  CHECK(contains(member_error(image), "x.npz:q: claims 2147483647 bytes"));
}

TEST_CASE("a wrong checksum is an error") {
  std::string image = zip_image({{"q.npy", kArray}}, ZIP_CM_STORE);
  image[image.find(kArray) + kArray.size() - 1] ^= 1;
  CHECK(contains(member_error(image), "x.npz:q: damaged (CRC error)"));
}

TEST_CASE("other compressions and duplicate names are refused") {
  std::string bzip2 = zip_image({{"q.npy", kArray}}, ZIP_CM_STORE);
  bzip2[bzip2.find("PK\1\2") + 10] = ZIP_CM_BZIP2;
  CHECK(contains(member_error(bzip2), "x.npz:q: zip compression method 12 is not read"));
  const std::string two = zip_image({{"q.npy", kArray}, {"r.npy", kArray}}, ZIP_CM_STORE);
  CHECK(contains(member_error(replaced(two, "r.npy", "q.npy")), "x.npz: holds 'q.npy' twice"));
}

TEST_CASE("every truncation of an archive is an error") {
  const std::string image = zip_image({{"q.npy", kArray}}, ZIP_CM_DEFLATE);
  for (std::size_t size = 0; size < image.size(); ++size) {
    CAPTURE(size);
    CHECK(contains(member_error(image.substr(0, size)), "x.npz"));
  }
  CHECK(
      contains(member_error(kArray), "x.npz: can't be read as an npz archive (Not a zip archive)"));
}
