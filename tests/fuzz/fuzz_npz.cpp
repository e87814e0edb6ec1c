// libFuzzer target: any bytes as an .npz archive give the array "q", or an Error.
#include <cstddef>
#include <cstdint>

#include "sim/error.h"
#include "sim/io/npz.h"
#include "tests/fuzz/fuzz_io_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flashscope;
  try {
    fuzz::touch_elements(io::parse_npz_member(fuzz::bytes_of(data, size), "q"));
  } catch (const Error& error) {
    fuzz::require_one_line(error);
  }
  return 0;
}
