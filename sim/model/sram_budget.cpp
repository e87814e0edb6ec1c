// Adding up what a phase keeps on chip; see sram_budget.h.
#include "sim/model/sram_budget.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "sim/attention/tile_plan.h"
#include "sim/error.h"

namespace flashscope {
namespace {

constexpr std::int64_t kKib = 1024;
constexpr std::int64_t kRegisterBytes = 4;
// A table may ask for absurd tiles (q_len x kv_len on chip); sums of sizes must stay in 64 bits.
constexpr std::int64_t kLargestSize = std::int64_t{1} << 48;
// Registers are handed out in units of 256 a warp.
constexpr std::int64_t kRegisterGranularity = 8;

std::int64_t capped_product(std::initializer_list<std::int64_t> factors) {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) {
    if (__builtin_mul_overflow(product, factor, &product)) return kLargestSize;
  }
  return smaller(product, kLargestSize);
}

std::int64_t size_of(Dim dim, const Problem& problem, const Tiling& tiling) {
  switch (dim) {
    case Dim::one:
    case Dim::q_row:
      return 1;
    case Dim::q_tile:
      return tiling.q_tile_rows;
    case Dim::kv_tile:
      return tiling.kv_tile_rows;
    case Dim::head_dim:
      return problem.head_dim;
    case Dim::splits:
      return tiling.splits;
    case Dim::q_len:
      return problem.q_len;
    case Dim::kv_len:
      return problem.kv_len;
  }
  return 1;
}

// On-chip buffers that the lines of a phase read or write, in the order of declaration.
std::set<int> touched(const Algorithm& algorithm, const Phase& phase) {
  std::set<int> buffers;
  for (const std::vector<int>* lines : {&phase.before, &phase.step, &phase.after}) {
    for (const int line : *lines) {
      const Effects effect = effects(algorithm.lines[static_cast<std::size_t>(line)]);
      buffers.insert(effect.reads.begin(), effect.reads.end());
      buffers.insert(effect.writes.begin(), effect.writes.end());
    }
  }
  return buffers;
}

// One row of a whole softmax (standard's second kernel) is wide: it takes the larger block too.
std::int64_t threads_of(const Phase& phase, const Tiling& tiling) {
  return phase.row_axis == RowAxis::q_row || tiling.q_tile_rows > 64 ? 256 : 128;
}

BudgetItem item_of(const Buffer& buffer, const PhaseBudget& phase, const Problem& problem,
                   const Tiling& tiling, const Precision& precision, Placement placement) {
  BudgetItem item;
  item.phase = phase.phase;
  item.buffer = buffer.name;
  item.rows = size_of(buffer.rows, problem, tiling);
  item.columns = size_of(buffer.columns, problem, tiling);
  item.format = format_of(buffer.stage, precision, tiling);
  item.stages = placement == Placement::paper ? 1 : buffer.stages;
  item.bytes =
      capped_product({item.rows, item.columns, bytes_per_element(item.format), item.stages});
  item.place = placement == Placement::paper ? Place::shared : buffer.place;
  if (item.place == Place::registers) {
    const std::int64_t copies = buffer.is_vector() ? kThreadsPerRow : 1;
    item.registers_per_thread = ceil_div(item.bytes * copies, phase.threads * kRegisterBytes);
  }
  return item;
}

std::int64_t blocks_by_shared_memory(const PhaseBudget& phase, const Device& device) {
  const std::int64_t shared = phase.shared_bytes + device.shared_memory_reserved_kib * kKib;
  if (shared == 0) return kBlocksPerSmLimit;
  return smaller(kBlocksPerSmLimit, device.shared_memory_per_sm_kib * kKib / shared);
}

std::int64_t blocks_by_registers(const PhaseBudget& phase, const Device& device) {
  if (phase.registers_per_thread == 0) return kBlocksPerSmLimit;
  const std::int64_t registers =
      ceil_div(phase.registers_per_thread, kRegisterGranularity) * kRegisterGranularity;
  return smaller(kBlocksPerSmLimit, device.registers_per_sm / (registers * phase.threads));
}

std::string shape_text(const BudgetItem& item) {
  std::string text = fmt::format("{} {}", item.buffer, item.rows);
  if (item.columns > 1) text += fmt::format("x{}", item.columns);
  text += fmt::format(" {}", name_of(item.format));
  if (item.stages > 1) text += fmt::format(" x{}", item.stages);
  return text;
}

// "64 KiB", "4.3125 KiB", "20 B": always exact, so that a sum just above a limit shows as such.
std::string bytes_text(std::int64_t bytes) {
  if (bytes % kKib == 0) return fmt::format("{} KiB", bytes / kKib);
  if (bytes < kKib || bytes % 64 != 0) return fmt::format("{} B", bytes);
  return fmt::format("{} KiB", static_cast<double>(bytes) / kKib);
}

std::string reason_of(const Budget& result, const PhaseBudget& phase, const Tiling& tiling,
                      const Device& device) {
  const bool too_much_shared = phase.shared_bytes > result.shared_limit_bytes;
  std::string terms;
  for (const BudgetItem& item : result.items) {
    if (item.phase != phase.phase || (item.place == Place::shared) != too_much_shared) continue;
    if (!terms.empty()) terms += " + ";
    terms += shape_text(item) + " ";
    terms += too_much_shared ? bytes_text(item.bytes) : std::to_string(item.registers_per_thread);
  }
  const std::string tiles = fmt::format("tiles {}x{} do not fit {}'s", tiling.q_tile_rows,
                                        tiling.kv_tile_rows, device.name);
  const std::string where =
      result.phases.size() > 1 ? fmt::format(", phase {}", phase.phase) : std::string();
  if (too_much_shared) {
    return fmt::format("{} shared memory of {} KiB per block (placement {}{}): {} = {}", tiles,
                       device.shared_memory_per_block_kib, name_of(result.placement), where, terms,
                       bytes_text(phase.shared_bytes));
  }
  return fmt::format(
      "{} {} registers per thread (placement {}, {} threads{}): {} + {} for addresses "
      "and temporaries = {}",
      tiles, result.registers_limit, name_of(result.placement), phase.threads, where, terms,
      kOverheadRegisters, phase.registers_per_thread);
}

}  // namespace

std::string_view name_of(Placement placement) {
  return placement == Placement::paper ? "paper" : "kernel";
}

Budget budget(const Algorithm& algorithm, const Problem& problem, const Tiling& tiling,
              const Precision& precision, const Device& device, Placement placement) {
  validate(problem);
  validate(tiling);
  Budget result;
  result.placement = placement;
  result.shared_limit_bytes = device.shared_memory_per_block_kib * kKib;
  result.registers_limit = device.registers_per_thread_limit;
  result.blocks_per_sm = kBlocksPerSmLimit;
  for (const Phase& phase : algorithm.phases) {
    PhaseBudget needs{phase.name, threads_of(phase, tiling)};
    if (placement == Placement::kernel) needs.registers_per_thread = kOverheadRegisters;
    for (const int buffer : touched(algorithm, phase)) {
      BudgetItem item = item_of(algorithm.buffers[static_cast<std::size_t>(buffer)], needs, problem,
                                tiling, precision, placement);
      if (item.place == Place::shared) {
        item.offset_bytes = needs.shared_bytes;
        needs.shared_bytes += item.bytes;
      }
      needs.registers_per_thread += item.registers_per_thread;
      result.items.push_back(item);
    }
    const bool fits = needs.shared_bytes <= result.shared_limit_bytes &&
                      needs.registers_per_thread <= result.registers_limit;
    needs.blocks_by_shared_memory = blocks_by_shared_memory(needs, device);
    needs.blocks_by_registers = blocks_by_registers(needs, device);
    if (fits) {
      needs.blocks_per_sm = smaller(needs.blocks_by_shared_memory, needs.blocks_by_registers);
    }
    result.blocks_per_sm = smaller(result.blocks_per_sm, needs.blocks_per_sm);
    if (result.phases.empty() || needs.registers_per_thread > result.registers_per_thread) {
      result.threads = needs.threads;
    }
    result.shared_bytes = larger(result.shared_bytes, needs.shared_bytes);
    result.registers_per_thread = larger(result.registers_per_thread, needs.registers_per_thread);
    result.phases.push_back(needs);
  }
  result.fits = result.shared_bytes <= result.shared_limit_bytes &&
                result.registers_per_thread <= result.registers_limit;
  if (!result.fits) {
    const bool by_shared = result.shared_bytes > result.shared_limit_bytes;
    const auto worst =
        std::max_element(result.phases.begin(), result.phases.end(),
                         [&](const PhaseBudget& a, const PhaseBudget& b) {
                           return by_shared ? a.shared_bytes < b.shared_bytes
                                            : a.registers_per_thread < b.registers_per_thread;
                         });
    result.reason = reason_of(result, *worst, tiling, device);
  }
  return result;
}

void require_fit(const Algorithm& algorithm, const Problem& problem, const Tiling& tiling,
                 const Precision& precision, const Device& device, Placement placement) {
  const Budget needs = budget(algorithm, problem, tiling, precision, device, placement);
  if (needs.fits) return;
  // What tiles of a single row would still need tells whether smaller tiles can help at all.
  Tiling smallest = tiling;
  smallest.q_tile_rows = smallest.kv_tile_rows = 1;
  const bool tiles_help = budget(algorithm, problem, smallest, precision, device, placement).fits;
  throw Error(fmt::format("{}; {}", needs.reason,
                          tiles_help ? "use a smaller --q-tile or --kv-tile"
                                     : "no smaller tile helps: use a larger --device or another "
                                       "--algorithm"));
}

}  // namespace flashscope
