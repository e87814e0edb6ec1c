// Random numbers by position: element `index` of stream `stream` under `seed` is a pure function of
// the three, so slices, threads and single elements all agree. The generator is Philox4x32-10
// (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011). Its bits
// are the same everywhere; normal() may differ in its last bit between math libraries. Left out:
// any generator with a state, and distributions that no option names.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace flashscope {

// One call of the block function: 128 bits of counter and 64 of key to 128 random bits.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

// `draw` tells apart several numbers for one element. Uniform in (0, 1), 52 bits, never 0 or 1.
double uniform(std::uint64_t seed, std::uint32_t stream, std::uint64_t index,
               std::uint32_t draw = 0);

// N(0, 1) by Box and Muller's transform; |value| < 8.6.
double normal(std::uint64_t seed, std::uint32_t stream, std::uint64_t index,
              std::uint32_t draw = 0);

// What the option --distribution names:
//   normal      N(0, 1)
//   outliers    N(0, 1) + N(0, 100) * Bernoulli(0.001), as in FlashAttention-3, section 4.3;
//               100 is the variance
//   constant:X  X everywhere
//   ramp        (index mod 17 - 8) / 8: from -1 to 1 in steps of 1/8, exact in every format; seed
//               and stream don't matter. 17 divides no usual head dim, so rows differ.
struct Distribution {
  enum class Kind : std::uint8_t { normal, outliers, constant, ramp };

  Kind kind = Kind::normal;
  float constant = 0;  // for Kind::constant only

  // Throws Error, listing the choices, on anything else; the X of constant:X must be a finite fp32.
  static Distribution parse(std::string_view text);

  float sample(std::uint64_t seed, std::uint32_t stream, std::uint64_t index) const;
};

}  // namespace flashscope
