// Files that are missing, broken or contradict each other, given to the command: each is refused
// with exit code 2 and one line that names the file or the tensor. (What the readers themselves
// make of broken bytes is tested in tests/io.)
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "sim/io/npy.h"
#include "tests/io/io_test_support.h"
#include "tests/terminal/command.h"

namespace flashscope::terminal_tests {
namespace {

using io::ElementType;

// A folder with q.npy, k.npy and v.npy (2 heads, 6 rows, head dim 4, fp32), and more as asked.
class InputFolder {
 public:
  InputFolder() {
    for (const char* name : {"q.npy", "k.npy", "v.npy"}) write(name, ElementType::f32, {2, 6, 4});
  }

  std::string operator/(const std::string& name) const { return folder_ / name; }
  const std::string& path() const { return folder_.path(); }
  std::ptrdiff_t file_count() const { return folder_.file_count(); }

  void write(const std::string& name, ElementType type, const std::vector<std::int64_t>& shape,
             float value = 0.5F) const {
    std::size_t count = 1;
    for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
    if (type == ElementType::f32) {
      const std::vector<float> values(count, value);
      io::write_npy(*this / name, type, shape, std::as_bytes(std::span(values)));
    } else {
      const std::vector<std::uint16_t> values(count, 0x3800);  // 0.5 in fp16
      io::write_npy(*this / name, type, shape, std::as_bytes(std::span(values)));
    }
  }

  void write_bytes(const std::string& name, const std::string& content) const {
    std::ofstream(*this / name, std::ios::binary) << content;
  }

  // --q, --k and --v, with one of them replaced.
  Arguments input(const std::string& option = "", const std::string& file = "") const {
    Arguments result;
    for (const std::string name : {"q", "k", "v"}) {
      result.push_back("--" + name);
      result.push_back(*this / (name == option ? file : name + ".npy"));
    }
    return result;
  }

 private:
  io::TemporaryFolder folder_;
};

std::string safetensors(const std::string& header, const std::string& data = "") {
  std::uint64_t length = header.size();
  std::string image(8, '\0');
  std::memcpy(image.data(), &length, 8);
  return image + header + data;
}

std::string tensor_entry(const std::string& name, const std::string& dtype, int begin, int end) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":[1,2,2],\"data_offsets\":[" +
         std::to_string(begin) + "," + std::to_string(end) + "]}";
}

}  // namespace

TEST_CASE("input files work, and options may repeat but not contradict what they say") {
  const InputFolder folder;
  const auto problem =
      json_of(words("run") + folder.input() + words("--q-len 6 --q-heads 2")).at("problem");
  CHECK(problem.at("head_dim") == 4);
  CHECK(problem.at("dtype") == "fp32");
  for (const char* option :
       {"--q-len", "--kv-len", "--q-heads", "--kv-heads", "--batch", "--head-dim"}) {
    check_refused(words("run") + folder.input() + Arguments{option, "3"}, option);
  }
  check_refused(words("run") + folder.input() + words("--seed 3"), "--seed");
  check_refused(words("run") + folder.input() + words("--distribution ramp"), "--distribution");
  check_refused(words("run") + folder.input() + words("--layout x"), "--layout");
  check_refused(words("run") + folder.input() + words("--dtype fp64"), "--dtype");
  check_refused(words("run") + folder.input() + words("--problem pencil"), "--problem");
}

TEST_CASE("q, k and v that do not belong together are refused") {
  const InputFolder folder;
  const auto refuse = [&](const char* option, ElementType type, std::vector<std::int64_t> shape,
                          const char* mention) {
    folder.write("other.npy", type, shape);
    for (const char* command : {"run", "walk", "count"}) {
      check_refused(Arguments{command} + folder.input(option, "other.npy"), mention);
    }
  };
  refuse("k", ElementType::f32, {2, 6, 5}, "head dims");
  refuse("v", ElementType::f32, {2, 6, 5}, "head dims");
  refuse("v", ElementType::f32, {2, 7, 4}, "lengths");
  refuse("v", ElementType::f32, {1, 6, 4}, "heads");
  refuse("q", ElementType::f32, {3, 6, 4}, "multiple");
  refuse("q", ElementType::f32, {2, 2, 6, 4}, "batch");
  refuse("q", ElementType::f32, {4}, "q ");
  refuse("q", ElementType::f32, {}, "q ");
  refuse("k", ElementType::f32, {1, 1, 2, 6, 4}, "k ");
  refuse("k", ElementType::f16, {2, 6, 4}, "fp16");
  refuse("q", ElementType::f32, {2, 6, 0}, "head");
}

TEST_CASE("broken npy files are refused by name") {
  const InputFolder folder;
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 6, 4), }\n";
  const std::pair<std::string, std::string> files[] = {
      {"empty.npy", ""},
      {"junk.npy", "this is no array"},
      {"magic.npy", "\x93NUMPY"},
      {"truncated.npy", io::npy_image(header, std::string(191, '\0'))},
      {"appended.npy", io::npy_image(header, std::string(193, '\0'))},
      {"header.npy", std::string("\x93NUMPY\x01\x00\xff\xff{", 11)},
      {"integers.npy",
       io::npy_image("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 6, 4), }\n",
                     std::string(192, '\0'))},
      {"huge.npy", io::npy_image("{'descr': '<f4', 'fortran_order': False, 'shape': "
                                 "(4611686018427387904, 4, 4), }\n",
                                 std::string(192, '\0'))},
      {"big_endian.npy",
       io::npy_image("{'descr': '>f4', 'fortran_order': False, 'shape': (2, 6, 4), }\n",
                     std::string(192, '\0'))},
  };
  for (const auto& [name, content] : files) {
    folder.write_bytes(name, content);
    for (const char* option : {"q", "k", "v"}) {
      check_refused(words("run") + folder.input(option, name), name);
    }
  }
  check_refused(words("run") + folder.input("k", "missing.npy"), "missing.npy");
  check_refused(words("run") + folder.input("k", "."), folder.path());
  check_refused(words("run --q /dev/null --k /dev/null --v /dev/null"), "/dev/null");
  folder.write_bytes("a\x1b[31m\n.npy", "junk");
  check_refused(words("run") + folder.input("k", "a\x1b[31m\n.npy"), "not an npy");
}

TEST_CASE("npz archives are refused when broken, without a member, or with a wrong one") {
  const InputFolder folder;
  const std::string npz = FLASHSCOPE_SOURCE_DIR "/tests/data/numpy_small.npz";
  check_refused(words("run") + folder.input() + Arguments{"--q", npz}, "--q");
  check_refused({"run", "--q", npz, "--k", npz, "--v", npz}, "numpy_small.npz:");
  check_refused({"run", "--q", npz + ":nothing", "--k", npz + ":nothing", "--v", npz + ":nothing"},
                "nothing");
  folder.write_bytes("junk.npz", "PK\x03\x04 no archive");
  check_refused(words("run") + folder.input("q", "junk.npz:q"), "junk.npz");
  check_refused(words("run") + folder.input("q", "missing.npz:q"), "missing.npz");
}

TEST_CASE("broken safetensors files, and tensors that are not in them, are refused") {
  const InputFolder folder;
  const std::string whole = safetensors("{" + tensor_entry("layer.q", "F32", 0, 16) + "," +
                                            tensor_entry("layer.k", "F32", 16, 32) + "," +
                                            tensor_entry("layer.v", "F32", 32, 48) + "}",
                                        std::string(48, '\0'));
  folder.write_bytes("good.safetensors", whole);
  const auto with = [&](const std::string& name, const std::string& prefix) {
    return Arguments{"run", "--tensors", folder / name, "--prefix", prefix};
  };
  output_of(with("good.safetensors", "layer"));
  check_refused(with("good.safetensors", "layers"), "layer.q");
  const std::pair<std::string, std::string> files[] = {
      {"truncated.safetensors", whole.substr(0, whole.size() - 1)},
      {"empty.safetensors", ""},
      {"short.safetensors", "abc"},
      {"header.safetensors", std::string(8, '\xff') + "{}"},
      {"json.safetensors", safetensors("{\"layer.q\":")},
      {"deep.safetensors", safetensors(std::string(100000, '['))},
      {"integers.safetensors",
       safetensors("{" + tensor_entry("layer.q", "I32", 0, 16) + "}", std::string(16, '\0'))},
      {"size.safetensors",
       safetensors("{" + tensor_entry("layer.q", "F64", 0, 16) + "}", std::string(16, '\0'))},
  };
  for (const auto& [name, content] : files) {
    folder.write_bytes(name, content);
    check_refused(with(name, "layer"), name);
  }
  check_refused(with("missing.safetensors", "layer"), "missing.safetensors");
}

TEST_CASE("tables that are no tables are refused by name") {
  const InputFolder folder;
  std::string binary;
  for (int n = 0; n < 5000; ++n) binary += static_cast<char>(n * 7919 >> 3);
  const std::pair<std::string, std::string> files[] = {
      {"empty.alg", ""},
      {"blank.alg", "\n\n# nothing\n"},
      {"binary.alg", binary},
      {"zeros.alg", std::string(1 << 20, '\0')},
      {"megabyte.alg", "algorithm x\n" + std::string(1 << 20, 'x')},
      {"lines.alg",
       [] {
         std::string text = "algorithm x\n";
         while (text.size() < (1 << 20)) text += "  load Q\n";
         return text;
       }()},
      {"prose.alg", "Attention is all you need.\n"},
  };
  for (const auto& [name, content] : files) {
    folder.write_bytes(name, content);
    for (const char* command : {"count", "run", "walk", "fit"}) {
      check_refused({command, "--algorithm", folder / name}, name);
    }
  }
  std::filesystem::create_directory(folder / "folder.alg");
  check_refused({"count", "--algorithm", folder / "folder.alg"}, "folder.alg");
  check_refused({"count", "--algorithm", folder.path()}, "--algorithm");
  check_refused({"count", "--algorithm", "/dev/zero.alg"}, "/dev/zero.alg");
}

TEST_CASE("a table with bytes that are no text does not break the JSON") {
  const InputFolder folder;
  std::string table = io::file_content(FLASHSCOPE_SOURCE_DIR "/sim/attention/algorithms/fa2.alg");
  table.insert(0, "# \xff\xfe caf\xe9\n");
  folder.write_bytes("own\xff.alg", table);
  const Result result = run_command({"walk", "--json", "--algorithm", folder / "own\xff.alg"});
  CAPTURE(result.err);
  const std::string fault = result.exit_code == 0 ? "" : fault_of_refusal(result, "own");
  CHECK(fault == "");
}

TEST_CASE("input that holds NaN and infinities is computed") {
  const InputFolder folder;
  for (const float value : {NAN, INFINITY, -INFINITY}) {
    folder.write("k.npy", ElementType::f32, {2, 6, 4}, value);
    output_of(words("run") + folder.input());
    CHECK(json_of(words("run") + folder.input()).at("max_abs_error").is_number());
    CHECK(json_lines_of(words("walk") + folder.input()).size() > 5);
    output_of(words("walk") + folder.input());
  }
}

}  // namespace flashscope::terminal_tests
