// See trace_file.h.
#include "gpu/verify/trace_file.h"

#include <cmath>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/io/write_file.h"

namespace flashscope::gpu {
namespace {

// JSON has no infinity and no NaN.
std::string number(float value) {
  if (std::isfinite(value)) return fmt::format("{:.9g}", value);
  return std::isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"";
}

}  // namespace

std::int64_t write_trace(const std::string& path, const Program& program,
                         const ExpectedTrace& expected, const std::vector<PhaseLog>& logs) {
  if (!program.algorithm().estimate || program.tiling().splits > 1) {
    throw Error(fmt::format(
        "--out: {} keeps no running m and l of whole rows, which is what a trace file holds; fa1, "
        "fa2, and split_kv with --splits 1 do",
        program.algorithm().name));
  }
  io::AtomicFile file(path);
  file.write("{\"schema\": \"flashscope.trace/1\", \"base\": \"e\", \"scaled\": true}\n");
  const std::int64_t group = program.group();
  std::int64_t records = 0;
  for (std::size_t phase = 0; phase < expected.phases.size(); ++phase) {
    const PhaseLog& log = logs[phase];
    if (!expected.phases[phase].has_state) continue;
    for (std::size_t index = 0; index < expected.phases[phase].items.size(); ++index) {
      const ExpectedItem& item = expected.phases[phase].items[index];
      for (std::size_t n = 0; n < item.steps.size(); ++n) {
        const ExpectedStep& step = item.steps[n];
        const std::size_t first = (index * static_cast<std::size_t>(log.max_steps) + n) *
                                  static_cast<std::size_t>(log.rows);
        std::string lines;
        for (std::size_t r = 0; r < step.m.size(); ++r) {
          const std::int64_t row = step.first_row + static_cast<std::int64_t>(r);
          lines += fmt::format(
              "{{\"batch\": {}, \"head\": {}, \"row\": {}, \"kv_begin\": {}, \"kv_end\": {}, "
              "\"m\": {}, \"l\": {}}}\n",
              item.batch, item.head * group + row % group, row / group, step.keys.begin,
              step.keys.end, number(log.m[first + r]), number(log.l[first + r]));
          ++records;
        }
        file.write(lines);
      }
    }
  }
  file.commit();
  return records;
}

}  // namespace flashscope::gpu
