// See record_set.h.
#include "gpu/measure/record_set.h"

#include <fmt/format.h>

#include "gpu/device/device_array.h"
#include "gpu/launch/device.h"
#include "sim/attention/algorithm.h"
#include "sim/error.h"
#include "sim/io/message_text.h"

namespace flashscope::gpu {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::int64_t kQuickShare = 8;

Problem shape(std::int64_t batch, std::int64_t q_heads, std::int64_t kv_heads, std::int64_t q_len,
              std::int64_t kv_len, std::int64_t head_dim, bool causal) {
  Problem problem;
  problem.batch = batch;
  problem.q_heads = q_heads;
  problem.kv_heads = kv_heads;
  problem.q_len = q_len;
  problem.kv_len = kv_len;
  problem.head_dim = head_dim;
  problem.scale = default_scale(head_dim);
  problem.mask.causal = causal;
  problem.dtype = Format::fp16;
  return problem;
}

// Which algorithm's first kernel has a name like this one.
const char* first_kernel_of(const std::string& algorithm) {
  if (algorithm == name_of(Algorithm::standard)) return "scores_kernel";
  if (algorithm == name_of(Algorithm::fa1)) return "fa1_init_kernel";
  if (algorithm == name_of(Algorithm::fa2)) return "fa2_kernel";
  return "split_kv_kernel";
}

}  // namespace

std::vector<RecordCase> record_cases(bool quick) {
  using enum Algorithm;
  const std::vector<Algorithm> all = {standard, fa1, fa2, split_kv};
  std::vector<RecordCase> cases = {
      {shape(4, 16, 16, 4096, 4096, 64, false), all},
      {shape(4, 16, 16, 4096, 4096, 64, true), all},
      {shape(2, 16, 4, 1000, 3000, 128, true), all},
      {shape(8, 32, 4, 1, 32768, 128, false), {fa2, split_kv}},
      {shape(1, 8, 8, 16384, 16384, 128, false), {fa2}},
  };
  if (!quick) return cases;
  for (RecordCase& c : cases) {
    if (c.problem.q_len > 1) c.problem.q_len /= kQuickShare;
    c.problem.kv_len /= kQuickShare;
  }
  return cases;
}

void for_each_case(const std::vector<RecordCase>& cases,
                   const std::function<void(const std::string&)>& note, const CaseCall& use) {
  // False where it fails, as long as the device still answers.
  const auto works = [&](const Problem& problem, const std::function<void()>& attempt) {
    try {
      attempt();
      return true;
    } catch (const Error& error) {
      if (!device_is_usable()) throw;
      note(fmt::format("{}: {}", describe(problem), error.what()));
      return false;
    }
  };
  for (const RecordCase& c : cases) {
    std::optional<DeviceProblem> problem;
    if (!works(c.problem, [&] { problem.emplace(c.problem, kSeed); })) continue;
    for (const Algorithm algorithm : c.algorithms) {
      const auto attempt = [&] { plan(problem->call(algorithm, nullptr), current_device()); };
      if (works(c.problem, attempt)) use(*problem, {.algorithm = algorithm});
    }
  }
}

void add_counters(RecordRow& row, std::vector<KernelCounters> kernels) {
  const flashscope::Algorithm table = load_algorithm(row.algorithm);
  if (kernels.size() == table.phases.size()) {
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      if (kernels[i].name.empty()) kernels[i].name = table.phases[i].name;
    }
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (kernels[i].name.empty()) kernels[i].name = fmt::format("kernel {}", i);
  }
  row.kernels = std::move(kernels);
}

void add_counters(std::vector<RecordRow>& rows,
                  const std::vector<std::vector<KernelCounters>>& calls, const std::string& file) {
  if (calls.size() != rows.size()) {
    throw Error(
        fmt::format("{}: it holds {} calls, and this record {}: profile `record --once` "
                    "with the same options",
                    io::printable(file), calls.size(), rows.size()));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const char* const wanted = first_kernel_of(rows[i].algorithm);
    if (calls[i].empty() || calls[i].front().name.find(wanted) == std::string::npos) {
      throw Error(fmt::format(
          "{}: call {} begins with kernel '{}', and row {} is {} ({}): profile `record --once` "
          "with the same options",
          io::printable(file), i, calls[i].empty() ? "none" : io::printable(calls[i].front().name),
          i, rows[i].algorithm, wanted));
    }
    add_counters(rows[i], calls[i]);
  }
}

}  // namespace flashscope::gpu
