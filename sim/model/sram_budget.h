// Whether the tiles of an algorithm fit on the chip of a device, and what takes how much. A phase
// holds all buffers that its lines touch, all at once, whether or not a line's `when` applies; the
// worst phase decides. Two placements:
//
//   paper   One on-chip memory of size M (the shared memory of a block) holds every buffer, once.
//   kernel  `shared` buffers x stages lie in shared memory; `registers` buffers in the registers of
//           the block's threads.
//
// Left out: padding and alignment of shared memory, barriers, and a compiler's reuse of registers
// (S's for P): a real kernel may need a little more of the one or less of the other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/attention/algorithm.h"
#include "sim/attention/problem.h"
#include "sim/attention/tiling.h"
#include "sim/model/device.h"

namespace flashscope {

enum class Placement : std::uint8_t { paper, kernel };
std::string_view name_of(Placement placement);

// Assumed of every thread of a kernel: addresses, loop counters and temporaries.
constexpr std::int64_t kOverheadRegisters = 40;
// The threads that hold one row together in the tensor cores' layout of accumulators (a quad, PTX
// ISA, mma.m16n8k16): each of them keeps its own copy of the row's m, l, alpha.
constexpr std::int64_t kThreadsPerRow = 4;

// Blocks that an SM runs at once at most. Compute capabilities 8.0 and 9.0: CUDA C++ Programming
// Guide.
constexpr std::int64_t kBlocksPerSmLimit = 32;

struct BudgetItem {
  std::string phase;
  std::string buffer;
  std::int64_t rows = 0;     // whole tiles, also where the problem is smaller
  std::int64_t columns = 0;  // 1 for a vector
  Format format = Format::fp32;
  std::int64_t stages = 1;
  std::int64_t bytes = 0;  // of all stages
  // Where it lies in its phase's shared memory: tiles follow each other in the order of
  // declaration, for the whole phase; 0 for a place in registers.
  std::int64_t offset_bytes = 0;
  std::int64_t registers_per_thread = 0;  // 32-bit, for a place in registers
  Place place = Place::shared;            // under `paper`, always shared
};

// One kernel's needs.
struct PhaseBudget {
  std::string phase;
  std::int64_t threads = 0;  // per block: 4 warps for up to 64 q rows, else 8, also for whole rows
  std::int64_t shared_bytes = 0;
  std::int64_t registers_per_thread = 0;  // 0 under `paper`
  // Blocks per SM that shared memory alone and registers alone allow, up to kBlocksPerSmLimit.
  std::int64_t blocks_by_shared_memory = 0, blocks_by_registers = 0;
  std::int64_t blocks_per_sm = 0;  // the smaller of the two; 0 when it doesn't fit
};

struct Budget {
  Placement placement = Placement::kernel;
  std::vector<BudgetItem> items;    // of all phases, in the order of declaration
  std::vector<PhaseBudget> phases;  // the algorithm's
  std::int64_t shared_bytes = 0;    // of the phase that needs most
  std::int64_t shared_limit_bytes = 0;
  std::int64_t registers_per_thread = 0;  // of the phase that needs most; 0 under `paper`
  std::int64_t registers_limit = 0;
  std::int64_t threads = 0;        // per block, of the phase with most registers
  std::int64_t blocks_per_sm = 0;  // of the phase with fewest
  bool fits = false;
  // What does not fit, itemised, in one line without advice; empty when all fits.
  std::string reason;
};

// Throws Error when the problem or the tiling is not valid. Sizes beyond 2^48 bytes read as 2^48.
Budget budget(const Algorithm& algorithm, const Problem& problem, const Tiling& tiling,
              const Precision& precision, const Device& device, Placement placement);

// Throws Error with the budget's reason and what to do about it.
void require_fit(const Algorithm& algorithm, const Problem& problem, const Tiling& tiling,
                 const Precision& precision, const Device& device, Placement placement);

}  // namespace flashscope
