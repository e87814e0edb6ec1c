// `flashscope device`: the device presets.
#include <memory>

#include <fmt/format.h>

#include "sim/model/device.h"
#include "sim/scenario/problem_json.h"
#include "viz/terminal/commands.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

Json device_json(const Device& device) {
  return {{"name", device.name},
          {"title", device.title},
          {"sm_count", device.sm_count},
          {"shared_memory_per_block_kib", device.shared_memory_per_block_kib},
          {"shared_memory_per_sm_kib", device.shared_memory_per_sm_kib},
          {"registers_per_sm", device.registers_per_sm},
          {"l2_mib", device.l2_mib},
          {"hbm_gib", device.hbm_gib},
          {"hbm_gb_per_s", device.hbm_gb_per_s},
          {"fp16_tensor_tflop_per_s", device.fp16_tensor_tflop_per_s},
          {"fp32_tflop_per_s", device.fp32_tflop_per_s},
          {"clock_mhz", device.clock_mhz}};
}

int device_command(const std::string& name, bool json) {
  std::vector<Device> chosen;
  if (name.empty()) {
    chosen.assign(devices().begin(), devices().end());
  } else {
    chosen.push_back(find_device(name));
  }
  if (json) {
    Json list = Json::array();
    for (const Device& device : chosen) list.push_back(device_json(device));
    fmt::print("{}\n", Json{{"schema", "flashscope.device/1"}, {"devices", list}}.dump(2));
    return 0;
  }
  Table table("lrrrrrr");
  table.header({"device", "SMs", "SRAM/block", "L2", "HBM", "HBM GB/s", "fp16 TFLOP/s"});
  for (const Device& device : chosen) {
    table.row({styled(device.name, Style::code), std::to_string(device.sm_count),
               fmt::format("{} KiB", device.shared_memory_per_block_kib),
               fmt::format("{:g} MiB", device.l2_mib), fmt::format("{:g} GiB", device.hbm_gib),
               fmt::format("{:g}", device.hbm_gb_per_s),
               fmt::format("{:g}", device.fp16_tensor_tflop_per_s)});
  }
  fmt::print("{}\n{}", styled("Device presets (published peak figures)", Style::title),
             table.text());
  for (const Device& device : chosen) {
    fmt::print("  {} {}\n", pad_right(std::string(device.name), 8),
               styled(device.title, Style::dim));
  }
  return 0;
}

}  // namespace

Action add_device(CLI::App& command) {
  struct Options {
    std::string name;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  command.add_option("NAME,--device", options->name, "one preset only");
  command.add_flag("--json", options->json, "machine-readable output");
  return [options] { return device_command(options->name, options->json); };
}

}  // namespace flashscope::terminal
