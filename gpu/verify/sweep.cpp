// See sweep.h. Lengths gather where kernels go wrong: at 0 and 1, and one off a multiple of a tile.
#include "gpu/verify/sweep.h"

#include <algorithm>
#include <array>

#include "sim/scenario/random.h"

namespace flashscope::gpu {
namespace {

class Dice {
 public:
  Dice(std::uint64_t seed, std::int64_t n) : seed_(seed), index_(static_cast<std::uint64_t>(n)) {}

  // An integer of [least, most].
  std::int64_t between(std::int64_t least, std::int64_t most) {
    const double u = uniform(seed_, kStream, index_, draw_++);
    return std::min(most,
                    least + static_cast<std::int64_t>(u * static_cast<double>(most - least + 1)));
  }
  bool one_in(std::int64_t n) { return between(1, n) == 1; }
  template <std::size_t kCount, typename T>
  T pick(const std::array<T, kCount>& values) {
    return values[static_cast<std::size_t>(between(0, kCount - 1))];
  }

 private:
  static constexpr std::uint32_t kStream = 77;  // apart from those of Q, K and V
  std::uint64_t seed_, index_;
  std::uint32_t draw_ = 0;
};

std::int64_t length(Dice& dice, std::int64_t tile) {
  if (dice.one_in(25)) return 0;
  switch (dice.between(0, 5)) {
    case 0:
      return dice.between(1, 8);
    case 1:
      return dice.between(1, 2 * tile);
    case 2:
    case 3:
      return std::max<std::int64_t>(1, dice.between(1, 4) * tile + dice.between(-1, 1));
    case 4:
      return dice.between(1, 700);
    default:
      return dice.one_in(4) ? dice.between(700, 3000) : dice.between(1, 300);
  }
}

void choose_mask(Dice& dice, Problem& problem) {
  problem.mask.causal = dice.one_in(2);
  if (!dice.one_in(3)) return;
  const auto bound = [&] {
    return dice.one_in(4) ? -1 : dice.between(0, dice.one_in(2) ? 40 : 400);
  };
  problem.mask.window_left = bound();
  problem.mask.window_right = bound();
}

void choose_scale(Dice& dice, Problem& problem) {
  double factor = 1;
  if (dice.one_in(4)) factor = static_cast<double>(dice.between(1, 64)) / 8;
  if (dice.one_in(4)) factor = -factor;
  if (dice.one_in(15)) factor = 0;
  problem.scale = static_cast<float>(factor * default_scale(problem.head_dim));
}

}  // namespace

SweepTrial sweep_trial(std::uint64_t seed, std::int64_t n, std::span<const KernelConfig> kernels) {
  Dice dice(seed, n);
  SweepTrial result;
  const auto last = static_cast<std::int64_t>(kernels.size()) - 1;
  result.kernel = kernels[static_cast<std::size_t>(dice.between(0, last))];
  const Element element{result.kernel.head_dim, dice.one_in(2) ? Format::fp16 : Format::bf16};
  const std::int64_t kv_heads = dice.between(1, 4);
  const std::int64_t group = dice.pick(std::array<std::int64_t, 8>{1, 1, 1, 2, 3, 4, 7, 8});
  const std::int64_t q_tile = std::max(result.kernel.q_tile_rows, 64);
  const std::int64_t kv_tile = std::max(result.kernel.kv_tile_rows, 64);
  const std::int64_t q_len = dice.one_in(6) ? dice.between(1, 4) : length(dice, q_tile);
  const std::int64_t kv_len = dice.one_in(4) ? q_len : length(dice, kv_tile);
  Trial& t = result.trial;
  t = trial(element, dice.between(1, 3), kv_heads * group, kv_heads, q_len, kv_len);
  choose_mask(dice, t.problem);
  choose_scale(dice, t.problem);
  t.seed = seed * 1'000'003 + static_cast<std::uint64_t>(n);
  using Kind = Distribution::Kind;
  t.distribution = dice.pick(std::array<Distribution, 8>{{{Kind::normal, 0},
                                                          {Kind::normal, 0},
                                                          {Kind::normal, 0},
                                                          {Kind::normal, 0},
                                                          {Kind::outliers, 0},
                                                          {Kind::outliers, 0},
                                                          {Kind::ramp, 0},
                                                          {Kind::constant, 0.75F}}});
  t.layout = dice.pick(std::array{MemoryLayout::bhsd, MemoryLayout::bshd, MemoryLayout::padded,
                                  MemoryLayout::packed});
  if (!can_lie(t.problem, t.layout)) t.layout = MemoryLayout::bshd;
  t.with_lse = !dice.one_in(8);
  t.give_workspace = dice.one_in(2);
  const int splits = dice.one_in(3) ? 0 : static_cast<int>(dice.between(1, 9));
  if (result.kernel.algorithm == Algorithm::split_kv) t.splits = splits;
  return result;
}

}  // namespace flashscope::gpu
