// See shape_cases.h.
#include "gpu/verify/shape_cases.h"

namespace flashscope::gpu {

Trial zero_queries(Trial t) {
  t.q = [](auto...) { return 0.0; };
  return t;
}

Trials longer_than_keys(const Element& e) {
  Trials all;
  all.push_back(zero_queries(trial(e, 1, 1, 1, 5, 2).causal()));
  all.push_back(trial(e, 1, 2, 1, 4, 1).causal());
  all.push_back(trial(e, 2, 2, 1, 300, 40).causal());  // whole q tiles without a key
  return all;
}

Trials one_query(const Element& e) {
  Trials all;
  for (const std::int64_t kv_len : {1, 16, 300}) {
    Trial t = trial(e, 1, 4, 4, 1, kv_len).causal();
    t.same_as = t.problem;
    t.same_as->mask.causal = false;
    all.push_back(t);
  }
  return all;
}

Trials nothing_there(const Element& e) {
  return {trial(e, 2, 2, 1, 3, 0), trial(e, 1, 2, 2, 200, 0).causal(), trial(e, 0, 2, 1, 3, 5),
          trial(e, 2, 2, 1, 0, 5), trial(e, 1, 1, 1, 0, 0)};
}

Trials tails(const Element& e) {
  Trials all;
  for (const std::int64_t kv_len : {1, 63, 65, 129, 257, 449}) {
    all.push_back(zero_queries(trial(e, 1, 1, 1, 3, kv_len)));
  }
  return all;
}

Trials short_lengths(const Element& e) {
  Trials all;
  for (const std::int64_t length : {1, 7, 31, 33}) {
    for (const MemoryLayout layout : {MemoryLayout::bhsd, MemoryLayout::padded}) {
      all.push_back(trial(e, 2, 2, 1, length, length).in(layout));
      all.back().give_workspace = true;
    }
  }
  return all;
}

Trials tile_borders(const Element& e) {
  Trials all;
  for (const std::int64_t q_len : {63, 64, 65, 127, 128, 129}) {
    for (const std::int64_t kv_len : {64, 127, 129, 192}) {
      all.push_back(trial(e, 1, 2, 1, q_len, kv_len).causal());
    }
  }
  return all;
}

Trials many_heads(const Element& e) { return {trial(e, 1, 40, 40, 8, 8)}; }

Trials heads_told_apart(const Element& e) {
  Trials all;
  for (const std::int64_t kv_len : {1, 20, 130}) {
    Trial t = trial(e, 2, 3, 3, 6, kv_len);
    t.v = [](auto b, auto h, auto, auto) { return static_cast<double>(3 * b + h + 1); };
    all.push_back(t);
  }
  return all;
}

Trials groups_of_heads(const Element& e) {
  Trials all;
  for (const std::int64_t q_len : {1, 3, 70}) {
    Trial t = trial(e, 1, 28, 4, q_len, 50);
    t.v = [](auto, auto h, auto, auto) { return static_cast<double>(h + 1); };
    all.push_back(t);
  }
  return all;
}

Trials layouts(const Element& e) {
  Trials all;
  for (const MemoryLayout layout :
       {MemoryLayout::bshd, MemoryLayout::packed, MemoryLayout::padded}) {
    Trial t = trial(e, 2, 3, 3, 150, 150).causal().in(layout);
    t.as_in = MemoryLayout::bhsd;
    all.push_back(t);
  }
  Trial grouped = trial(e, 2, 6, 2, 40, 90).in(MemoryLayout::bshd);
  grouped.as_in = MemoryLayout::padded;
  all.push_back(grouped);
  return all;
}

Trials more_than_65535_heads(const Element& e) {
  if (e.head_dim != 64) return {};
  Trial t = trial(e, 2, 33000, 33000, 2, 3);
  t.v = [](auto b, auto h, auto, auto) { return static_cast<double>(b + h % 251); };
  t.default_tiles_only = true;
  return {t};
}

Trials beyond_32_bits(const Element& e) {
  if (e.head_dim != 64) return {};
  Trial far = trial(e, 2, 2, 2, 100, 200).in(MemoryLayout::far_apart);
  Trial large = trial(e, 1, 9, 3, 16384, 16384).causal();  // S of standard: 2.4e9 elements
  far.default_tiles_only = large.default_tiles_only = true;
  return {far, large};
}

Trials padding_is_nan(const Element& e) {
  Trials all;
  for (const std::int64_t length : {1, 63, 100, 129}) {
    all.push_back(trial(e, 2, 4, 2, length, length + 1).in(MemoryLayout::padded));
    all.push_back(trial(e, 2, 4, 2, length, length + 1).causal().in(MemoryLayout::bshd));
  }
  return all;
}

}  // namespace flashscope::gpu
