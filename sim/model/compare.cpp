// See compare.h.
#include "sim/model/compare.h"

#include <fmt/format.h>

#include "sim/attention/program.h"
#include "sim/error.h"
#include "sim/io/message_text.h"
#include "sim/machine/count.h"

namespace flashscope {
namespace {

SimulatedBytes simulate(const RecordRow& row) {
  const Problem& p = row.problem;
  Algorithm algorithm = load_algorithm(row.algorithm);
  const Precision precision = default_precision(algorithm, p.dtype);
  const Count counted = count(Program(p, std::move(algorithm), row.tiling, precision));
  const std::int64_t q_elements = p.batch * p.q_heads * p.q_len * p.head_dim;
  const std::int64_t kv_elements = p.batch * p.kv_heads * p.kv_len * p.head_dim;
  return {counted.ledger.all_load_bytes(), counted.ledger.all_store_bytes(),
          (q_elements + 2 * kv_elements) * bytes_per_element(p.dtype)};
}

// Nothing when there is no kernel, or one of them lacks this counter.
std::optional<std::int64_t> sum(const std::vector<KernelCounters>& kernels,
                                std::optional<std::int64_t> KernelCounters::*counter) {
  std::int64_t total = 0;
  for (const KernelCounters& kernel : kernels) {
    const std::optional<std::int64_t>& bytes = kernel.*counter;
    if (!bytes || __builtin_add_overflow(total, *bytes, &total)) return std::nullopt;
  }
  if (kernels.empty()) return std::nullopt;
  return total;
}

std::optional<double> ratio(std::optional<std::int64_t> measured, std::int64_t simulated) {
  if (!measured || simulated == 0) return std::nullopt;
  return static_cast<double>(*measured) / static_cast<double>(simulated);
}

}  // namespace

std::optional<double> ComparedRow::l2_to_sm_ratio() const {
  return ratio(measured.l2_to_sm_bytes, simulated.l2_to_sm_bytes);
}

std::optional<double> ComparedRow::dram_load_ratio() const {
  return ratio(measured.dram_load_bytes, simulated.compulsory_load_bytes);
}

std::vector<ComparedRow> compare(const Record& record, const std::string& name) {
  std::vector<ComparedRow> result;
  for (const RecordRow& row : record.rows) {
    try {
      result.push_back({row,
                        simulate(row),
                        {sum(row.kernels, &KernelCounters::l2_to_sm_bytes),
                         sum(row.kernels, &KernelCounters::dram_load_bytes),
                         sum(row.kernels, &KernelCounters::dram_store_bytes),
                         sum(row.kernels, &KernelCounters::shared_bytes)}});
    } catch (const Error& error) {
      throw Error(fmt::format("{}: rows[{}], {}: {}", io::printable(name), result.size(),
                              row.algorithm, error.what()));
    }
  }
  return result;
}

}  // namespace flashscope
