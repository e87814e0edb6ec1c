// libFuzzer target: any bytes as a .safetensors file give tensors that lie inside them, or an
// Error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/error.h"
#include "sim/io/safetensors.h"
#include "tests/fuzz/fuzz_io_support.h"

namespace {

void read_tensor(const flashscope::io::SafetensorsFile& file, const std::string& name) {
  try {
    flashscope::fuzz::touch_elements(file.tensor(name));
  } catch (const flashscope::Error& error) {
    flashscope::fuzz::require_one_line(error);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flashscope;
  try {
    const auto file = io::SafetensorsFile::parse(fuzz::bytes_of(data, size));
    for (const std::string& name : file.names()) read_tensor(file, name);
    read_tensor(file, "missing");
  } catch (const Error& error) {
    fuzz::require_one_line(error);
  }
  return 0;
}
