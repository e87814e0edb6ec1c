// The table of named cases; see cases.h. Numbers that no line gives are random, and every answer is
// held against fp64; what a line says beyond that must hold exactly.
#include "gpu/verify/cases.h"

#include <limits>

#include "gpu/verify/shape_cases.h"

namespace flashscope::gpu {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// --- numbers ------------------------------------------------------------------------------------

Trials negative_scale(const Element& e) {
  // Scaled scores are -1000 and 0: after a maximum of the unscaled ones both would vanish.
  Trial t = trial(e, 1, 1, 1, 1, 2).scale(-0.125);
  t.q = [](auto, auto, auto, auto d) { return d == 0 ? 1.0 : 0.0; };
  t.k = [](auto, auto, auto key, auto d) { return key == 0 && d == 0 ? 8000.0 : 0.0; };
  t.v = [](auto, auto, auto key, auto) { return static_cast<double>(key + 1); };
  t.exact_o = [](auto...) { return 2.0; };
  return {t, trial(e, 1, 2, 2, 90, 210).scale(-0.125),
          trial(e, 1, 2, 1, 70, 70).causal().scale(-1)};
}

Trials zero_scale(const Element& e) {
  return {trial(e, 1, 2, 1, 9, 150).scale(0), trial(e, 1, 2, 1, 140, 70).causal().scale(0)};
}

Trials upper_half(const Element& e) {
  Trial t = trial(e, 1, 2, 1, 60, 100);
  const auto half = [width = e.head_dim](auto, auto, auto row, auto d) {
    return d < width / 2 ? 0.0 : static_cast<double>((row + d) % 5) - 2;
  };
  t.q = half;
  t.k = half;
  return {t};
}

Trials large_scores(const Element& e) {
  const auto sign = [](auto, auto, auto row, auto d) {
    return d == 0 ? (row % 2 == 0 ? 1.0 : -1.0) : 0.0;
  };
  const auto large = [](auto, auto, auto key, auto d) {
    return d == 0 ? (key == 2 ? 60000.0 : -60000.0) : 0.0;
  };
  // Even rows: key 2 stands out by 120000. Odd rows: all other keys tie.
  Trial fits = trial(e, 1, 1, 1, 4, 5).scale(1);
  fits.q = sign;
  fits.k = large;
  fits.v = [](auto, auto, auto key, auto) { return key == 2 ? -7.0 : key < 2 ? 3.0 : 5.0; };
  fits.exact_o = [](auto, auto, auto row, auto) { return row % 2 == 0 ? -7.0 : 4.0; };
  Trial huge = fits;  // scores of 3.6e9
  huge.q = [sign](auto b, auto h, auto row, auto d) { return 60000 * sign(b, h, row, d); };
  huge.scores_exceed_fp16 = true;
  Trial thousands = trial(e, 1, 2, 1, 40, 130).scale(1);  // scores of +-1e4, all distinct
  thousands.q = [](auto, auto, auto row, auto d) {
    return d == 0 ? static_cast<double>(100 - row) : 0.0;
  };
  thousands.k = [](auto, auto, auto key, auto d) {
    return d == 0 ? static_cast<double>(100 - key) : 0.0;
  };
  Trial values = trial(e, 1, 1, 1, 3, 70);
  values.v = [](auto, auto, auto key, auto) { return key % 2 == 0 ? 60000.0 : -60000.0; };
  return {fits, huge, thousands, values};
}

Trials nan_in_one_value(const Element& e) {
  Trials all;
  for (const bool causal : {true, false}) {
    Trial t = trial(e, 1, 1, 1, 400, 400);
    t.problem.mask.causal = causal;
    if (!causal) t.window(30, 30);
    t.nan_value = {.key = 170, .column = 3};
    t.v = [nan = *t.nan_value](auto, auto, auto key, auto d) {
      return key == nan.key && d == nan.column ? kNan : static_cast<double>((key * 7 + d) % 13) - 6;
    };
    all.push_back(t);
  }
  return all;
}

Trials nan_where_no_row_looks(const Element& e) {
  Trial t = trial(e, 1, 2, 1, 16, 1024).window(32, 0);
  // Rows see keys 976 to 1023; no tile that holds one of those reaches down to 768.
  const auto nan_below = [](auto, auto, auto key, auto d) {
    return key < 768 ? kNan : static_cast<double>((key + d) % 9) - 4;
  };
  t.k = t.v = nan_below;
  t.nan_in_hidden_tiles = true;
  return {t};
}

// --- windows ------------------------------------------------------------------------------------

Trials window_of_128_keys(const Element& e) {
  return {zero_queries(trial(e, 1, 1, 1, 256, 256).window(127, 0)),
          trial(e, 1, 2, 1, 256, 300).window(127, 0)};
}

Trials window_of_one_key(const Element& e) {
  Trial t = trial(e, 1, 2, 1, 150, 150).window(0, 0);
  t.v = [](auto, auto, auto row, auto d) { return static_cast<double>((row - 8 * d) % 100) / 8; };
  t.exact_o = [v = t.v](auto b, auto, auto row, auto d) { return v(b, 0, row, d); };
  return {t};
}

Trials windows(const Element& e) {
  return {trial(e, 1, 2, 1, 200, 333).window(50, 20),
          trial(e, 1, 2, 1, 333, 200).window(-1, 10),
          trial(e, 1, 2, 2, 300, 300).window(70, -1),
          trial(e, 1, 2, 1, 300, 300).causal().window(0, 64),
          trial(e, 1, 1, 1, 130, 5).window(3, 0),
          trial(e, 1, 1, 1, 5, 500).window(400, 400)};
}

// --- calls --------------------------------------------------------------------------------------

Trials hundred_calls(const Element& e) {
  Trial t = trial(e, 2, 4, 2, 200, 333).causal();
  t.calls = 100;
  t.default_tiles_only = true;
  return {t};
}

Trials busy_stream(const Element& e) {
  Trials all;
  for (const bool give_workspace : {false, true}) {
    Trial t = trial(e, 1, 2, 1, 200, 200);
    t.on_busy_stream = t.default_tiles_only = true;
    t.give_workspace = give_workspace;
    all.push_back(t);
  }
  return all;
}

Trials workspace_and_lse(const Element& e) {
  Trials all;
  for (const bool with_lse : {false, true}) {
    for (const int splits : {1, 2, 3, 7}) {
      Trial t = trial(e, 2, 4, 2, 65, 700).causal();
      t.give_workspace = true;
      t.with_lse = with_lse;
      t.splits = splits;
      all.push_back(t);
    }
  }
  return all;
}

Trials one_query_per_group(const Element& e) {
  Trials all;
  for (const int splits : {0, 1, 5, 64}) {
    Trial t = trial(e, 3, 8, 1, 1, 1000);
    t.splits = splits;
    all.push_back(t);
    all.push_back(t.causal());
    all.back().problem.q_len = 5;
  }
  return all;
}

}  // namespace

const std::vector<VerifyCase>& verify_cases() {
  static const std::vector<VerifyCase> cases = {
      {"a causal query longer than its keys: rows that see nothing", longer_than_keys},
      {"one causal query sees all keys, bit for bit as without the mask", one_query},
      {"no keys, no queries, no batch", nothing_there},
      {"equal scores over lengths with a tail: the tail is not counted", tails},
      {"lengths below a tile, memory around O and LSE untouched", short_lengths},
      {"lengths one off a tile's, causal", tile_borders},
      {"forty heads, each right", many_heads},
      {"values that name their batch and head", heads_told_apart},
      {"seven query heads to a kv head: consecutive ones share it", groups_of_heads},
      {"bshd, padded and packed (b,s,3,h,d): the bits of contiguous", layouts},
      {"more than 65535 heads in all", more_than_65535_heads},
      {"offsets beyond 2^31 elements", beyond_32_bits},
      {"NaN behind the last key and value row, and between rows", padding_is_nan},
      {"a negative scale: the maximum is taken after scaling", negative_scale},
      {"a scale of 0: every visible key counts alike", zero_scale},
      {"only the upper half of the head dimension is not zero", upper_half},
      {"scores of 1e4 and 6e4, values of 6e4: no inf - inf", large_scores},
      {"a NaN in one value: only in rows that visit its tile", nan_in_one_value},
      {"NaN in keys and values of tiles that no row sees", nan_where_no_row_looks},
      {"a window of (127, 0) shows 128 keys", window_of_128_keys},
      {"a window of (0, 0) copies V", window_of_one_key},
      {"windows on either side, unbounded, past the ends", windows},
      {"the same call a hundred times, the same bits", hundred_calls},
      {"the caller's stream, on which the inputs arrive late", busy_stream},
      {"workspace given, LSE or none, any number of splits", workspace_and_lse},
      {"one query, eight heads to a kv head: splits, packed groups", one_query_per_group},
  };
  return cases;
}

}  // namespace flashscope::gpu
