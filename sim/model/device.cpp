// The table of devices; see device.h.
#include "sim/model/device.h"

#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/expression/nearest_name.h"

namespace flashscope {
namespace {

// Made up: small enough that a lesson's tiles fill it. 4 KiB hold the tiles of the pencil problem
// many times over, while N 64, D 16 in fp32 only fits in small tiles. Its ratio of arithmetic to
// bandwidth, 128 FLOP a byte, is near that of a real GPU.
constexpr Device kToy{.name = "toy",
                      .title = "a made-up GPU for lessons",
                      .sm_count = 4,
                      .shared_memory_per_block_kib = 4,
                      .shared_memory_per_sm_kib = 8,
                      .smallest_tile_rows = 1,
                      .l2_mib = 0.0625,
                      .hbm_gib = 1,
                      .hbm_gb_per_s = 8,
                      .fp16_tensor_tflop_per_s = 1.024,
                      .fp32_tflop_per_s = 0.256,
                      .clock_mhz = 1000};

// "NVIDIA A100 Tensor Core GPU Architecture" (2020), tables of the A100 and of compute capability
// 8.0; bandwidths from the "NVIDIA A100 Tensor Core GPU" data sheet, SXM column. The 163 KiB a
// block and the 1 KiB the system takes: CUDA C++ Programming Guide, compute capabilities, and the
// NVIDIA Ampere GPU Architecture Tuning Guide.
constexpr Device a100(std::string_view name, std::string_view title, double hbm_gib,
                      double hbm_gb_per_s) {
  return {.name = name,
          .title = title,
          .sm_count = 108,
          .shared_memory_per_block_kib = 163,
          .shared_memory_per_sm_kib = 164,
          .shared_memory_reserved_kib = 1,
          .l2_mib = 40,
          .hbm_gib = hbm_gib,
          .hbm_gb_per_s = hbm_gb_per_s,
          .fp16_tensor_tflop_per_s = 312,
          .fp32_tflop_per_s = 19.5,
          .clock_mhz = 1410};
}

// "NVIDIA H100 Tensor Core GPU Architecture" (2022), the H100 SXM5 column: 989.4 TFLOP/s is 132 SMs
// x 4096 FLOP a cycle at 1830 MHz, while the fp32 figure is for 1980 MHz. Bandwidths and capacities
// from the "NVIDIA H100" and "NVIDIA H200 Tensor Core GPU" data sheets; the H200 has the same chip.
// The 227 KiB a block: NVIDIA Hopper Tuning Guide.
constexpr Device hopper(std::string_view name, std::string_view title, double hbm_gib,
                        double hbm_gb_per_s) {
  return {.name = name,
          .title = title,
          .sm_count = 132,
          .shared_memory_per_block_kib = 227,
          .shared_memory_per_sm_kib = 228,
          .shared_memory_reserved_kib = 1,
          .l2_mib = 50,
          .hbm_gib = hbm_gib,
          .hbm_gb_per_s = hbm_gb_per_s,
          .fp16_tensor_tflop_per_s = 989.4,
          .fp32_tflop_per_s = 66.9,
          .clock_mhz = 1830};
}

constexpr std::array kDevices{kToy, a100("a100-40", "NVIDIA A100 SXM 40 GB", 40, 1555),
                              a100("a100-80", "NVIDIA A100 SXM 80 GB", 80, 2039),
                              hopper("h100", "NVIDIA H100 SXM5 80 GB", 80, 3350),
                              hopper("h200", "NVIDIA H200 SXM 141 GB", 141, 4800)};

}  // namespace

std::span<const Device> devices() { return kDevices; }

const Device& find_device(std::string_view name) {
  std::vector<std::string> names;
  std::string list;
  for (const Device& device : kDevices) {
    if (device.name == name) return device;
    names.emplace_back(device.name);
    list += (list.empty() ? "" : ", ") + names.back();
  }
  std::string message =
      fmt::format("--device '{}': there is no such device; use one of {}", name, list);
  // Without a likeness nearest_name() would only list the names again.
  const std::string nearest = nearest_name(std::string(name), names);
  if (nearest.starts_with("did you mean")) message += "; " + nearest;
  throw Error(message);
}

}  // namespace flashscope
