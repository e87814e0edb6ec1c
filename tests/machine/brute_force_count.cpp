// The loop nests; see brute_force_count.h. Each one reads like the paper's algorithm, for one
// sequence of query rows at a time: one head, or the heads of a GQA group packed.
#include "tests/machine/brute_force_count.h"

#include <algorithm>
#include <vector>

namespace flashscope::test {
namespace {

using Size = std::int64_t;

Size size_of(Format format) { return format == Format::fp32 ? 4 : format == Format::e4m3 ? 1 : 2; }

class Counter {
 public:
  Counter(const Sample& sample, BruteForceCount& count)
      : sample_(sample), problem_(sample.problem), count_(count) {
    group_ = sample.tiling.pack_gqa ? problem_.q_heads / problem_.kv_heads : 1;
    n_ = problem_.q_len * group_;
    for (Size row = 0; row < n_; row += sample.tiling.q_tile_rows) ++q_tiles_;
    for (Size key = 0; key < problem_.kv_len; key += sample.tiling.kv_tile_rows) ++kv_tiles_;
    in_ = size_of(sample.precision.input);
    out_ = size_of(sample.precision.output);
  }

  Size sequences() const { return problem_.q_heads / group_; }

  // Looks at every element of the sequence's score matrix.
  void enter(Size b, Size sequence) {
    visited_.assign(static_cast<std::size_t>(q_tiles_ * kv_tiles_), false);
    for (Size i = 0; i < q_tiles_; ++i) {
      for (Size j = 0; j < kv_tiles_; ++j) look_at_tile(b, sequence, i, j);
    }
  }

  void standard() {
    const Size score = size_of(sample_.precision.score);
    const Size probability = size_of(sample_.precision.probability);
    for (Size i = 0; i < q_tiles_; ++i) {
      for (Size j = 0; j < kv_tiles_; ++j) {
        ++count_.work_items;
        load("scores", "Q", rows(i) * d() * in_);
        load("scores", "K", keys(j) * d() * in_);
        count_.matmul_flops += 2 * rows(i) * keys(j) * d();
        count_.nonmatmul_flops += rows(i) * keys(j);  // scale
        store("scores", "S", rows(i) * keys(j) * score);
      }
    }
    for (Size row = 0; row < n_; ++row) {
      ++count_.work_items;
      load("softmax", "S", problem_.kv_len * score);
      count_.exponentials += problem_.kv_len;
      count_.nonmatmul_flops += 4 * problem_.kv_len + 1;  // max, subtract, sum, divide; LSE
      store("softmax", "P", problem_.kv_len * probability);
      store("softmax", "LSE", 4);
    }
    for (Size i = 0; i < q_tiles_; ++i) {
      ++count_.work_items;
      for (Size j = 0; j < kv_tiles_; ++j) {
        load("output", "P", rows(i) * keys(j) * probability);
        load("output", "V", keys(j) * d() * in_);
        count_.matmul_flops += 2 * rows(i) * keys(j) * d();
      }
      store("output", "O", rows(i) * d() * out_);
    }
  }

  void fa1() {
    const Size work = sample_.tiling.workspace_in_input_format ? in_ : 4;
    std::vector<Size> left_to_visit, done(static_cast<std::size_t>(q_tiles_), 0);
    for (Size i = 0; i < q_tiles_; ++i) {
      ++count_.work_items;
      store("init", "O_work", rows(i) * d() * work);
      store("init", "m_work", rows(i) * 4);
      store("init", "l_work", rows(i) * 4);
      left_to_visit.push_back(0);
      for (Size j = 0; j < kv_tiles_; ++j) left_to_visit.back() += visits(i, j) ? 1 : 0;
      if (left_to_visit.back() > 0) continue;
      ++count_.work_items;
      store("unseen", "O", rows(i) * d() * out_);
      store("unseen", "LSE", rows(i) * 4);
    }
    ++count_.work_items;
    for (Size step = 0; step < kv_tiles_; ++step) {
      const Size j = descending() ? kv_tiles_ - 1 - step : step;
      bool loaded = false;
      for (Size i = 0; i < q_tiles_; ++i) {
        if (!visits(i, j)) continue;
        if (!loaded) load_k_and_v("attention", j);
        loaded = true;
        load("attention", "Q", rows(i) * d() * in_);
        load("attention", "O_work", rows(i) * d() * work);
        load("attention", "m_work", rows(i) * 4);
        load("attention", "l_work", rows(i) * 4);
        const bool first = done[static_cast<std::size_t>(i)]++ == 0;
        const bool last = --left_to_visit[static_cast<std::size_t>(i)] == 0;
        online_softmax_step(i, j, first);
        count_.nonmatmul_flops += rows(i) * d();  // O / l at every step
        if (last) {
          count_.nonmatmul_flops += rows(i);  // LSE
          store("attention", "O", rows(i) * d() * out_);
          store("attention", "LSE", rows(i) * 4);
        } else {
          store("attention", "O_work", rows(i) * d() * work);
          store("attention", "m_work", rows(i) * 4);
          store("attention", "l_work", rows(i) * 4);
        }
      }
    }
  }

  void fa2() {
    for (Size i = 0; i < q_tiles_; ++i) {
      walk_keys("attention", i, 0, kv_tiles_);
      store("attention", "O", rows(i) * d() * out_);
      store("attention", "LSE", rows(i) * 4);
    }
  }

  void split_kv() {
    const Size splits = sample_.tiling.splits;
    // As even as whole tiles allow: deal the tiles out one by one, then line the parts up.
    std::vector<Size> parts(static_cast<std::size_t>(splits), 0);
    for (Size j = 0; j < kv_tiles_; ++j) ++parts[static_cast<std::size_t>(j % splits)];
    for (Size i = 0; i < q_tiles_; ++i) {
      Size begin = 0;
      for (const Size part : parts) {
        walk_keys("partial", i, begin, begin + part);
        begin += part;
        store("partial", "O_part", rows(i) * d() * 4);
        store("partial", "LSE_part", rows(i) * 4);
      }
    }
    for (Size i = 0; i < q_tiles_; ++i) {
      ++count_.work_items;
      load("combine", "LSE_part", rows(i) * splits * 4);
      count_.exponentials += rows(i) * splits;
      count_.nonmatmul_flops += 3 * rows(i) * splits;  // max, subtract, sum
      for (Size split = 0; split < splits; ++split) {
        load("combine", "O_part", rows(i) * d() * 4);
        count_.nonmatmul_flops += 2 * rows(i) * d();
      }
      count_.nonmatmul_flops += rows(i) * d() + rows(i);  // O / l, LSE
      store("combine", "O", rows(i) * d() * out_);
      store("combine", "LSE", rows(i) * 4);
    }
  }

 private:
  Size d() const { return problem_.head_dim; }
  bool descending() const { return sample_.tiling.kv_order == KvOrder::descending; }
  Size rows(Size i) const {
    return std::min(sample_.tiling.q_tile_rows, n_ - i * sample_.tiling.q_tile_rows);
  }
  Size keys(Size j) const {
    return std::min(sample_.tiling.kv_tile_rows, problem_.kv_len - j * sample_.tiling.kv_tile_rows);
  }
  bool visits(Size i, Size j) const {
    return visited_[static_cast<std::size_t>(i * kv_tiles_ + j)];
  }

  void look_at_tile(Size b, Size sequence, Size i, Size j) {
    Size seen = 0;
    for (Size row = 0; row < rows(i); ++row) {
      const Size packed = i * sample_.tiling.q_tile_rows + row;
      for (Size key = 0; key < keys(j); ++key) {
        seen += visible(sample_, b, sequence * group_ + packed % group_, packed / group_,
                        j * sample_.tiling.kv_tile_rows + key)
                    ? 1
                    : 0;
      }
    }
    count_.useful_flops += 4 * d() * seen;
    const bool tail = keys(j) < sample_.tiling.kv_tile_rows;
    if (seen == 0) {
      ++count_.empty;
    } else if (seen == rows(i) * keys(j) && !tail) {
      ++count_.full;
    } else {
      ++count_.partial;
    }
    visited_[static_cast<std::size_t>(i * kv_tiles_ + j)] = seen > 0;
  }

  // One work item of fa2, or of one split: everything but the stores.
  void walk_keys(const char* phase, Size i, Size begin, Size end) {
    ++count_.work_items;
    load(phase, "Q", rows(i) * d() * in_);
    bool first = true;
    for (Size step = 0; step < end - begin; ++step) {
      const Size j = descending() ? end - 1 - step : begin + step;
      if (!visits(i, j)) continue;
      load_k_and_v(phase, j);
      online_softmax_step(i, j, first);
      first = false;
    }
    count_.nonmatmul_flops += rows(i) * d() + rows(i);  // O / l, LSE
  }

  void online_softmax_step(Size i, Size j, bool first) {
    const Size tile = rows(i) * keys(j);
    count_.matmul_flops += 4 * d() * tile;
    count_.exponentials += tile + rows(i);  // P, alpha
    // Scale, max onto m, subtract, sum onto l over the tile; alpha's subtraction, alpha times l.
    count_.nonmatmul_flops += 4 * tile + 2 * rows(i);
    if (first) return;
    count_.rescales += rows(i);
    count_.nonmatmul_flops += rows(i) * d();
  }

  void load_k_and_v(const char* phase, Size j) {
    load(phase, "K", keys(j) * d() * in_);
    load(phase, "V", keys(j) * d() * in_);
  }
  void load(const char* phase, const char* tensor, Size bytes) {
    if (bytes != 0) count_.traffic[{phase, tensor, "load"}] += bytes;
    count_.load_bytes += bytes;
  }
  void store(const std::string& phase, const char* tensor, Size bytes) {
    if (bytes != 0) count_.traffic[{phase, tensor, "store"}] += bytes;
    (phase == "init" ? count_.init_bytes : count_.store_bytes) += bytes;
  }

  const Sample& sample_;
  const Problem& problem_;
  BruteForceCount& count_;
  Size group_ = 1, n_ = 0, q_tiles_ = 0, kv_tiles_ = 0, in_ = 0, out_ = 0;
  std::vector<bool> visited_;  // (q_tiles, kv_tiles) of the sequence entered last
};

}  // namespace

BruteForceCount brute_force_count(const Sample& sample, const std::string& algorithm) {
  BruteForceCount count;
  Counter counter(sample, count);
  for (Size b = 0; b < sample.problem.batch; ++b) {
    for (Size sequence = 0; sequence < counter.sequences(); ++sequence) {
      counter.enter(b, sequence);
      if (algorithm == "standard") counter.standard();
      if (algorithm == "fa1") counter.fa1();
      if (algorithm == "fa2") counter.fa2();
      if (algorithm == "split_kv") counter.split_kv();
    }
  }
  return count;
}

}  // namespace flashscope::test
