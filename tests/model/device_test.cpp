// The device table against the published figures, and the names a user may mistype.
#include "sim/model/device.h"

#include <doctest/doctest.h>

#include "sim/error.h"

using namespace flashscope;

TEST_CASE("every device is found by its name") {
  CHECK(devices().size() == 5);
  for (const Device& device : devices()) CHECK(&find_device(device.name) == &device);
}

TEST_CASE("a block may use 163 KiB on the A100 and 227 KiB on Hopper, 1 KiB less than an SM has") {
  CHECK(find_device("a100-40").shared_memory_per_block_kib == 163);
  CHECK(find_device("a100-80").shared_memory_per_block_kib == 163);
  CHECK(find_device("h100").shared_memory_per_block_kib == 227);
  CHECK(find_device("h200").shared_memory_per_block_kib == 227);
  for (const Device& device : devices()) {
    if (device.name == "toy") continue;
    CHECK(device.shared_memory_per_block_kib + device.shared_memory_reserved_kib ==
          device.shared_memory_per_sm_kib);
  }
}

TEST_CASE("the tensor rate is SMs x FLOP a cycle x clock") {
  const auto per_cycle_and_sm = [](const char* name) {
    const Device& device = find_device(name);
    return device.fp16_tensor_tflop_per_s * 1e6 /
           (static_cast<double>(device.sm_count) * device.clock_mhz);
  };
  CHECK(per_cycle_and_sm("toy") == doctest::Approx(256));
  CHECK(per_cycle_and_sm("a100-80") == doctest::Approx(2048).epsilon(0.001));
  CHECK(per_cycle_and_sm("h100") == doctest::Approx(4096).epsilon(0.001));
  CHECK(per_cycle_and_sm("h200") == doctest::Approx(4096).epsilon(0.001));
}

TEST_CASE("the presets differ in memory as their data sheets say") {
  CHECK(find_device("a100-40").hbm_gb_per_s == 1555);
  CHECK(find_device("a100-80").hbm_gb_per_s == 2039);
  CHECK(find_device("h100").hbm_gb_per_s == 3350);
  CHECK(find_device("h200").hbm_gb_per_s == 4800);
  CHECK(find_device("h200").hbm_gib == 141);
  CHECK(find_device("a100-80").l2_mib == 40);
  CHECK(find_device("h100").l2_mib == 50);
  CHECK(find_device("a100-80").sm_count == 108);
  CHECK(find_device("h100").sm_count == 132);
}

TEST_CASE("an unknown device lists the names, and the nearest where one is near") {
  CHECK_THROWS_WITH_AS(find_device("h10"),
                       "--device 'h10': there is no such device; use one of toy, a100-40, a100-80, "
                       "h100, h200; did you mean 'h100'?",
                       Error);
  CHECK_THROWS_WITH_AS(find_device("quantum"),
                       "--device 'quantum': there is no such device; use one of toy, a100-40, "
                       "a100-80, h100, h200",
                       Error);
}
