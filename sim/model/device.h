// The GPUs that a schedule can be planned for: sizes of their memories, and the rates that the time
// model divides by. Peak figures as published; what a kernel reaches in practice is not here, nor
// is the machine's own GPU, which the CUDA side asks for its properties.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace flashscope {

struct Device {
  std::string_view name;   // as --device takes it
  std::string_view title;  // for people
  std::int64_t sm_count = 0;
  std::int64_t shared_memory_per_block_kib = 0;   // the most that one block may have
  std::int64_t shared_memory_per_sm_kib = 0;      // shared by the blocks on an SM
  std::int64_t shared_memory_reserved_kib = 0;    // what the system takes for itself per block
  std::int64_t smallest_tile_rows = 16;           // rows of a tensor core's own tile (m16n8k16)
  std::int64_t registers_per_thread_limit = 255;  // 32-bit
  std::int64_t registers_per_sm = 65536;          // 32-bit
  double l2_mib = 0;
  double hbm_gib = 0;                  // as sold
  double hbm_gb_per_s = 0;             // 10^9 bytes a second
  double fp16_tensor_tflop_per_s = 0;  // dense, fp32 accumulation; bf16 is the same
  double fp32_tflop_per_s = 0;         // without tensor cores
  double clock_mhz = 0;                // the clock that the tensor figure assumes
};

// toy, a100-40, a100-80, h100, h200.
std::span<const Device> devices();

// Throws Error for an unknown name, with the names there are and the one most like it.
const Device& find_device(std::string_view name);

}  // namespace flashscope
