// libFuzzer target: any bytes as a .npy file give an array whose elements lie inside them, or an
// Error.
#include <cstddef>
#include <cstdint>

#include "sim/error.h"
#include "sim/io/npy.h"
#include "tests/fuzz/fuzz_io_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flashscope;
  try {
    fuzz::touch_elements(io::parse_npy(fuzz::bytes_of(data, size)));
  } catch (const Error& error) {
    fuzz::require_one_line(error);
  }
  return 0;
}
