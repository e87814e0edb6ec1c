// A tiled attention in fp64 that can be told which mistake to make; see foreign_attention.h.
#include "foreign_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace flashscope::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Row = std::vector<double>;

double dot(const Row& a, const Row& b) {
  double sum = 0;
  for (std::size_t d = 0; d < a.size(); ++d) sum += a[d] * b[d];
  return sum;
}

class Foreign {
 public:
  Foreign(const Scenario& scenario, std::string mistake, std::int64_t q_tile, std::int64_t kv_tile)
      : p_(scenario.problem),
        inputs_(reference_inputs(scenario, p_.dtype, ReferenceInput::rounded)),
        mistake_(std::move(mistake)),
        q_tile_(q_tile),
        kv_tile_(kv_tile) {}

  // Returns LSE; o is filled.
  double row(std::int64_t b, std::int64_t h, std::int64_t r, Row& o) {
    o.assign(static_cast<std::size_t>(p_.head_dim), 0);
    const Row q = read(inputs_.q, b, h, r);
    std::int64_t kv_head = h / (p_.q_heads / p_.kv_heads);
    if (is("gqa_modulo")) kv_head = h % p_.kv_heads;
    double m = is("m_init_zero") ? 0 : -kInfinity, l = 0, tiles = 0;
    bool first = true;
    for (std::int64_t begin = 0; begin < p_.kv_len; begin += kv_tile_) {
      const std::int64_t end = std::min(begin + kv_tile_, p_.kv_len);
      if (skips(r, begin)) continue;
      std::vector<double> s, p;
      std::vector<bool> shown;
      for (std::int64_t k = begin; k < begin + kv_tile_; ++k) {
        const bool past_end = k >= end;
        const std::int64_t from = is("stale_kv_tile") && begin > 0 ? k - kv_tile_ : k;
        const double score =
            past_end ? 0
                     : scaled(dot(q, read(inputs_.k, b, kv_head, std::min(from, p_.kv_len - 1))));
        const bool visible = past_end ? is("tail_not_masked") : sees(r, k);
        shown.push_back(visible);
        s.push_back(visible || (!past_end && is("mask_after_softmax")) ? score : -kInfinity);
      }
      double tile_max = -kInfinity;
      for (const double x : s) tile_max = std::max(tile_max, x);
      double m_new = std::max(m, tile_max);
      if (is("max_not_carried") || is("o_averaged")) m_new = tile_max;
      if (is("no_max_subtraction")) m_new = 0;
      const double safe = m_new == -kInfinity ? 0 : m_new;
      double sum = 0;
      for (const double x : s) {
        p.push_back(power(x - safe));
        sum += p.back();
      }
      double alpha = m == m_new ? 1 : power(m - safe);
      if (is("rescale_inverted") && !first && m != -kInfinity) alpha = 1 / alpha;
      if (is("max_not_carried")) alpha = 1;
      accumulate(b, kv_head, begin, p, shown, alpha, sum, l, o);
      tiles += sum > 0 ? 1 : 0;
      m = m_new;
      first = false;
    }
    const double divisor = is("o_averaged") ? tiles : l;
    for (double& x : o) x = divisor == 0 ? 0 : x / divisor;
    return l == 0 ? -kInfinity : m + std::log(l);
  }

 private:
  bool is(const char* name) const { return mistake_ == name; }
  double power(double x) const { return is("scale_base2_mixed") ? std::exp2(x) : std::exp(x); }
  double scaled(double s) const {
    if (is("scale_missing")) return s;
    return s * p_.scale * (is("scale_twice") ? p_.scale : 1);
  }
  Row read(const reference::RowReader& reader, std::int64_t b, std::int64_t h,
           std::int64_t r) const {
    Row values(static_cast<std::size_t>(p_.head_dim));
    reader(b, h, r, values.data());
    return values;
  }
  bool sees(std::int64_t r, std::int64_t k) const {
    if (!p_.mask.causal) return true;
    const std::int64_t offset = is("causal_top_left") ? 0 : p_.kv_len - p_.q_len;
    return k <= r + offset + (is("causal_off_by_one") ? 1 : 0);
  }
  bool skips(std::int64_t r, std::int64_t begin) const {
    if (!p_.mask.causal) return false;
    const std::int64_t start = r / q_tile_ * q_tile_ + p_.kv_len - p_.q_len;
    if (is("diagonal_tile_skipped")) return begin + kv_tile_ > start + 1;
    if (is("causal_skip_inverted")) return begin + kv_tile_ <= start + 1;
    return false;
  }
  void accumulate(std::int64_t b, std::int64_t kv_head, std::int64_t begin, const Row& p,
                  const std::vector<bool>& shown, double alpha, double sum, double& l, Row& o) {
    const double old_l = l;
    l = (is("l_not_rescaled") ? 1 : alpha) * l + sum;
    double o_factor = is("o_not_rescaled") ? 1 : alpha;
    if (is("normalise_old_only") && old_l > 0) o_factor /= l;
    if (is("o_averaged")) o_factor = 1;
    for (double& x : o) x *= o_factor;
    for (std::size_t n = 0; n < p.size(); ++n) {
      const std::int64_t k = begin + static_cast<std::int64_t>(n);
      if (k >= p_.kv_len || !shown[n]) continue;
      const Row v = read(inputs_.v, b, kv_head, k);
      const double weight = is("o_averaged") ? p[n] / sum : p[n];
      for (std::size_t d = 0; d < o.size(); ++d) o[d] += weight * v[d];
    }
    if (is("normalise_every_step") && l > 0) {
      for (double& x : o) x /= l;
    }
  }

  Problem p_;
  reference::Inputs inputs_;
  std::string mistake_;
  std::int64_t q_tile_, kv_tile_;
};

}  // namespace

Outputs foreign_attention(const Scenario& scenario, const std::string& mistake, std::int64_t q_tile,
                          std::int64_t kv_tile, Format output) {
  const Problem& p = scenario.problem;
  Outputs outputs{Tensor(output, {p.batch, p.q_heads, p.q_len, p.head_dim}),
                  Tensor(Format::fp32, {p.batch, p.q_heads, p.q_len, 1})};
  Scenario seen = scenario;
  const bool swapped = mistake == "layout_swapped";
  if (swapped) {
    std::swap(seen.problem.q_heads, seen.problem.q_len);
    std::swap(seen.problem.kv_heads, seen.problem.kv_len);
    for (TensorView* view : {&seen.inputs.q, &seen.inputs.k, &seen.inputs.v}) {
      std::swap(view->shape[1], view->shape[2]);
      std::swap(view->strides[1], view->strides[2]);
    }
  }
  Foreign foreign(seen, mistake, q_tile, kv_tile);
  std::vector<double> o;
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t h = 0; h < p.q_heads; ++h) {
      for (std::int64_t r = 0; r < p.q_len; ++r) {
        double lse = swapped ? foreign.row(b, r, h, o) : foreign.row(b, h, r, o);
        if (mistake == "lse_base2") lse /= std::log(2.0);
        if (mistake == "lse_plus_inf_on_empty_rows" && lse == -kInfinity) lse = kInfinity;
        const std::vector<float> values(o.begin(), o.end());
        outputs.o.write_row(b, h, r, values);
        const auto narrow = static_cast<float>(lse);
        outputs.lse.write_row(b, h, r, {&narrow, 1});
      }
    }
  }
  return outputs;
}

}  // namespace flashscope::test
