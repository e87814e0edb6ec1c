// The table of facts; see facts_list.h.
#include "lessons/engine/facts_list.h"

#include <fmt/format.h>

#include "lessons/engine/message.h"
#include "sim/error.h"

namespace flashscope::lessons {
namespace {

using C = FactCache;

template <typename T>
double number(T value) {
  return static_cast<double>(value);
}

std::int64_t q_bytes(const Problem& p) {
  return p.batch * p.q_heads * p.q_len * p.head_dim * bytes_per_element(p.dtype);
}

std::int64_t kv_bytes(const Problem& p) {
  return p.batch * p.kv_heads * p.kv_len * p.head_dim * bytes_per_element(p.dtype);
}

std::int64_t kv_tiles(const C& c) {
  const std::int64_t rows = c.program().tiling().kv_tile_rows;
  return (c.problem().kv_len + rows - 1) / rows;
}

double measured_us(const C& c) {
  const RecordRow& row = c.measured();
  if (!row.us) throw Error("the record has no time for it");
  return row.us->median;
}

double copy_bytes_per_s(const C& c) {
  const auto& rate = c.record().device.copy_bytes_per_s;
  if (!rate) throw Error("the record has no copy rate");
  return *rate;
}

// clang-format off
const FactDefinition kFacts[] = {
    {{"load_bytes", "loaded from HBM, fa1's init apart"}, [](C& c) { return number(c.count().ledger.load_bytes()); }},
    {{"store_bytes", "stored to HBM, fa1's init apart"}, [](C& c) { return number(c.count().ledger.store_bytes()); }},
    {{"init_bytes", "fa1's initialising stores"}, [](C& c) { return number(c.count().ledger.init_bytes()); }},
    {{"total_bytes", "load_bytes + store_bytes"}, [](C& c) { return number(c.count().ledger.total_bytes()); }},
    {{"closed_form_bytes", "total_bytes by the papers' formula"}, [](C& c) { return number(c.closed_form()); }},
    {{"matmul_flops", "4 head_dim for each score element of the visited tiles"}, [](C& c) { return number(c.count().ledger.work().matmul_flops); }},
    {{"useful_flops", "the same for visible elements only"}, [](C& c) { return number(c.count().useful_flops); }},
    {{"nonmatmul_flops", "element-wise arithmetic, exponentials apart"}, [](C& c) { return number(c.count().ledger.work().nonmatmul_flops); }},
    {{"exponentials", "exp() of scores, and of one alpha for each row and step"}, [](C& c) { return number(c.count().ledger.work().exponentials); }},
    {{"rescales", "rows of O multiplied by alpha; with a threshold, at most"}, [](C& c) { return number(c.count().ledger.work().rescales); }},
    {{"work_items", "thread blocks, of all phases"}, [](C& c) { return number(c.count().work_items); }},
    {{"ops", "lines executed"}, [](C& c) { return number(c.program().size()); }},
    {{"empty_tiles", "score tiles of all heads without a visible element"}, [](C& c) { return number(c.count().tiles.empty); }},
    {{"partial_tiles", "score tiles with some"}, [](C& c) { return number(c.count().tiles.partial); }},
    {{"full_tiles", "score tiles with all elements visible"}, [](C& c) { return number(c.count().tiles.full); }},
    {{"batch", "of the problem"}, [](C& c) { return number(c.problem().batch); }},
    {{"q_heads", "of the problem"}, [](C& c) { return number(c.problem().q_heads); }},
    {{"kv_heads", "of the problem"}, [](C& c) { return number(c.problem().kv_heads); }},
    {{"q_len", "query rows"}, [](C& c) { return number(c.problem().q_len); }},
    {{"kv_len", "keys"}, [](C& c) { return number(c.problem().kv_len); }},
    {{"head_dim", "of the problem"}, [](C& c) { return number(c.problem().head_dim); }},
    {{"scale", "multiplies Q K'"}, [](C& c) { return number(c.problem().scale); }},
    {{"element_bytes", "of an element of Q, K, V and O in HBM"}, [](C& c) { return number(bytes_per_element(c.problem().dtype)); }},
    {{"q_bytes", "of all of Q"}, [](C& c) { return number(q_bytes(c.problem())); }},
    {{"k_bytes", "of all of K"}, [](C& c) { return number(kv_bytes(c.problem())); }},
    {{"v_bytes", "of all of V"}, [](C& c) { return number(kv_bytes(c.problem())); }},
    {{"o_bytes", "of all of O"}, [](C& c) { return number(q_bytes(c.problem())); }},
    {{"compulsory_bytes", "Q, K and V once"}, [](C& c) { return number(q_bytes(c.problem()) + 2 * kv_bytes(c.problem())); }},
    {{"q_tile", "query rows of a tile"}, [](C& c) { return number(c.program().tiling().q_tile_rows); }},
    {{"kv_tile", "keys of a tile"}, [](C& c) { return number(c.program().tiling().kv_tile_rows); }},
    {{"q_tiles", "of a head"}, [](C& c) { return number(c.program().q_tiles()); }},
    {{"kv_tiles", "of a head"}, [](C& c) { return number(kv_tiles(c)); }},
    {{"splits", "parts of the keys"}, [](C& c) { return number(c.program().tiling().splits); }},
    {{"shared_bytes", "shared memory that a block needs"}, [](C& c) { return number(c.budget().shared_bytes); }},
    {{"shared_limit", "shared memory that a block may have, in bytes"}, [](C& c) { return number(c.budget().shared_limit_bytes); }},
    {{"registers", "32-bit ones that a thread needs"}, [](C& c) { return number(c.budget().registers_per_thread); }},
    {{"registers_limit", "that a thread may have"}, [](C& c) { return number(c.budget().registers_limit); }},
    {{"blocks_per_sm", "blocks that an SM holds at once"}, [](C& c) { return number(c.budget().blocks_per_sm); }},
    {{"fits", "1 when the tiling fits the device, else 0"}, [](C& c) { return number(c.budget().fits ? 1 : 0); }},
    {{"sm_count", "of the device"}, [](C& c) { return number(c.device().sm_count); }},
    {{"l2_bytes", "of the device"}, [](C& c) { return number(c.device().l2_mib * 1024 * 1024); }},
    {{"hbm_bytes_per_s", "of the device"}, [](C& c) { return number(c.device().hbm_gb_per_s * 1e9); }},
    {{"fp16_flop_per_s", "of the device's tensor cores"}, [](C& c) { return number(c.device().fp16_tensor_tflop_per_s * 1e12); }},
    {{"fp32_flop_per_s", "of the device, without tensor cores"}, [](C& c) { return number(c.device().fp32_tflop_per_s * 1e12); }},
    {{"clock_hz", "of the device"}, [](C& c) { return number(c.device().clock_mhz * 1e6); }},
    {{"max_abs_error", "largest difference of O from fp64"}, [](C& c) { return number(c.run().verification.max_abs_error); }},
    {{"rmse", "root of the mean square of that difference"}, [](C& c) { return number(c.run().verification.rmse); }},
    {{"lse_max_abs_error", "largest difference of LSE from fp64"}, [](C& c) { return number(c.run().verification.lse_max_abs_error); }},
    {{"rescales_taken", "rows of O really multiplied"}, [](C& c) { return number(c.run().totals.rescales_applied); }},
    {{"measured_us", "median time of a call"}, [](C& c) { return number(measured_us(c)); }},
    {{"measured_l2_to_sm_bytes", "read by the counter"}, [](C& c) { return number(c.counter(&KernelCounters::l2_to_sm_bytes)); }},
    {{"measured_dram_load_bytes", "read by the counter"}, [](C& c) { return number(c.counter(&KernelCounters::dram_load_bytes)); }},
    {{"measured_dram_store_bytes", "read by the counter"}, [](C& c) { return number(c.counter(&KernelCounters::dram_store_bytes)); }},
    {{"copy_bytes_per_s", "of a copy on the measured device, read and written both counted"}, [](C& c) { return number(copy_bytes_per_s(c)); }},
    {{"device_l2_bytes", "of the measured device"}, [](C& c) { return number(c.record().device.l2_bytes); }},
};
// clang-format on

}  // namespace

std::span<const FactDefinition> fact_definitions() { return kFacts; }

std::span<const FactName> fact_names() {
  static const std::vector<FactName> kNames = [] {
    std::vector<FactName> names;
    for (const FactDefinition& fact : kFacts) names.push_back(fact.name);
    return names;
  }();
  return kNames;
}

const FactDefinition& find_fact(std::string_view name) {
  std::vector<std::string> names;
  for (const FactDefinition& fact : kFacts) {
    if (fact.name.name == name) return fact;
    names.emplace_back(fact.name.name);
  }
  throw Error(fmt::format("there is no fact '{}'; {}", name, suggestion(std::string(name), names)));
}

}  // namespace flashscope::lessons
