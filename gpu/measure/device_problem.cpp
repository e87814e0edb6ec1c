// See device_problem.h.
#include "gpu/measure/device_problem.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "gpu/measure/repeat.h"
#include "sim/attention/tile_plan.h"
#include "sim/error.h"
#include "sim/machine/numerics.h"
#include "sim/scenario/random.h"

namespace flashscope::gpu {
namespace {

constexpr std::int64_t kPeriod = 1048583;  // elements; a prime
constexpr std::size_t kElementBytes = 2;
constexpr std::int64_t kSampledRows = 8;  // of the first and of the last head
constexpr std::uint8_t kNanByte = 0xff;

std::int64_t q_elements(const Problem& p) { return p.batch * p.q_heads * p.q_len * p.head_dim; }
std::int64_t kv_elements(const Problem& p) { return p.batch * p.kv_heads * p.kv_len * p.head_dim; }

void require_kernels(const Problem& problem) {
  if (problem.dtype != Format::fp16 && problem.dtype != Format::bf16) {
    throw Error(
        fmt::format("--dtype {}: the kernels compute in fp16 or bf16", name_of(problem.dtype)));
  }
  if (problem.mask.expression) {
    throw Error("--mask: the kernels know causal masks and windows, not expressions");
  }
}

Strides contiguous(std::int64_t heads, std::int64_t length, std::int64_t head_dim) {
  return {heads * length * head_dim, length * head_dim, head_dim};
}

// Evenly spread, the first and the last among them.
std::vector<std::int64_t> sampled_rows(std::int64_t q_len) {
  std::set<std::int64_t> rows;
  const std::int64_t count = std::min(q_len, kSampledRows);
  for (std::int64_t i = 0; i < count; ++i) {
    rows.insert(count == 1 ? 0 : i * (q_len - 1) / (count - 1));
  }
  return {rows.begin(), rows.end()};
}

double rounded(Format format, double value) {
  return static_cast<double>(round_to(format, static_cast<float>(value)));
}

}  // namespace

DeviceProblem::DeviceProblem(const Problem& problem, std::uint64_t seed) : problem_(problem) {
  validate(problem_);
  require_kernels(problem_);
  const std::int64_t lse_bytes = problem_.batch * problem_.q_heads * problem_.q_len * 4;
  const std::int64_t elements = 2 * q_elements(problem_) + 2 * kv_elements(problem_);
  const std::int64_t needed = elements * bytes_per_element(problem_.dtype) + lse_bytes;
  const std::int64_t free = free_device_bytes();
  if (needed > free) {
    throw Error(fmt::format("{} needs {:.1f} GiB of device memory, and {:.1f} are free",
                            describe(problem_), static_cast<double>(needed) / (1 << 30),
                            static_cast<double>(free) / (1 << 30)));
  }
  q_period_ = fill(q_, q_elements(problem_), seed, 0);
  k_period_ = fill(k_, kv_elements(problem_), seed, 1);
  v_period_ = fill(v_, kv_elements(problem_), seed, 2);
  o_ = DeviceArray(q_.bytes());
  lse_ = DeviceArray(static_cast<std::size_t>(lse_bytes));
}

std::vector<float> DeviceProblem::fill(DeviceArray& array, std::int64_t elements,
                                       std::uint64_t seed, std::uint32_t stream) {
  std::vector<float> period(static_cast<std::size_t>(std::min(elements, kPeriod)));
  for (std::size_t i = 0; i < period.size(); ++i) {
    period[i] = static_cast<float>(normal(seed, stream, i));
  }
  round_in_place(problem_.dtype, period);
  std::vector<std::byte> bytes(period.size() * kElementBytes);
  encode(problem_.dtype, period, bytes.data());
  array = DeviceArray(static_cast<std::size_t>(elements) * kElementBytes);
  array.upload(bytes);
  repeat(array, bytes.size());
  return period;
}

AttentionCall DeviceProblem::call(Algorithm algorithm, void* stream) const {
  const Problem& p = problem_;
  AttentionCall call;
  call.dtype = p.dtype;
  call.q = q_.data();
  call.k = k_.data();
  call.v = v_.data();
  call.o = o_.data();
  call.lse = static_cast<float*>(lse_.data());
  call.batch = p.batch;
  call.q_heads = p.q_heads;
  call.kv_heads = p.kv_heads;
  call.q_len = p.q_len;
  call.kv_len = p.kv_len;
  call.head_dim = p.head_dim;
  call.q_stride = call.o_stride = contiguous(p.q_heads, p.q_len, p.head_dim);
  call.k_stride = call.v_stride = contiguous(p.kv_heads, p.kv_len, p.head_dim);
  call.scale = static_cast<float>(p.scale);
  call.causal = p.mask.causal;
  call.window_left = p.mask.window_left;
  call.window_right = p.mask.window_right;
  call.algorithm = algorithm;
  call.stream = stream;
  return call;
}

void DeviceProblem::spoil_output() {
  o_.fill(kNanByte);
  wait_for_device();
}

reference::RowReader DeviceProblem::reader(const std::vector<float>& period, std::int64_t heads,
                                           std::int64_t length) const {
  return [this, &period, heads, length](std::int64_t batch, std::int64_t head, std::int64_t row,
                                        double* out) {
    const std::int64_t first = ((batch * heads + head) * length + row) * problem_.head_dim;
    std::size_t at = static_cast<std::size_t>(first) % period.size();
    for (std::int64_t d = 0; d < problem_.head_dim; ++d) {
      out[d] = static_cast<double>(period[at]);
      if (++at == period.size()) at = 0;
    }
  };
}

std::vector<double> DeviceProblem::standard_row(const reference::Inputs& inputs, std::int64_t batch,
                                                std::int64_t head, std::int64_t row) const {
  const Problem& p = problem_;
  const auto head_dim = static_cast<std::size_t>(p.head_dim);
  const IndexRange keys = visible_keys(
      make_band(p.q_len, p.kv_len, p.mask.causal, p.mask.window_left, p.mask.window_right), row);
  std::vector<double> q(head_dim), other(head_dim), scores, o(head_dim, 0.0);
  const std::int64_t kv_head = head / (p.q_heads / p.kv_heads);
  inputs.q(batch, head, row, q.data());
  double largest = -INFINITY, sum = 0;
  for (std::int64_t key = keys.begin; key < keys.end; ++key) {
    inputs.k(batch, kv_head, key, other.data());
    double score = 0;
    for (std::size_t d = 0; d < head_dim; ++d) score += q[d] * other[d];
    scores.push_back(rounded(p.dtype, score * p.scale));
    largest = std::max(largest, scores.back());
  }
  for (const double score : scores) sum += std::exp(score - largest);
  for (std::int64_t key = keys.begin; key < keys.end; ++key) {
    const double score = scores[static_cast<std::size_t>(key - keys.begin)];
    const double probability = rounded(p.dtype, std::exp(score - largest) / sum);
    inputs.v(batch, kv_head, key, other.data());
    for (std::size_t d = 0; d < head_dim; ++d) o[d] += probability * other[d];
  }
  return o;
}

Accuracy DeviceProblem::accuracy() const {
  wait_for_device();
  const Problem& p = problem_;
  const auto head_dim = static_cast<std::size_t>(p.head_dim);
  const reference::Inputs inputs = {reader(q_period_, p.q_heads, p.q_len),
                                    reader(k_period_, p.kv_heads, p.kv_len),
                                    reader(v_period_, p.kv_heads, p.kv_len)};
  const double unit = p.dtype == Format::fp16 ? 0x1p-10 : 0x1p-7;  // of the last place
  const std::vector<std::int64_t> rows = sampled_rows(p.q_len);
  Accuracy accuracy;
  if (p.batch == 0) return accuracy;
  double standard_error = 0, largest = 0;
  for (const auto& [batch, head] :
       std::set<std::pair<std::int64_t, std::int64_t>>{{0, 0}, {p.batch - 1, p.q_heads - 1}}) {
    const reference::Rows exact = reference::attention(p, inputs, batch, head, rows);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::vector<std::byte> bytes(head_dim * kElementBytes);
      std::vector<float> got(head_dim);
      const std::int64_t first = ((batch * p.q_heads + head) * p.q_len + rows[r]) * p.head_dim;
      o_.download(bytes, static_cast<std::size_t>(first) * kElementBytes);
      decode(p.dtype, bytes.data(), got);
      const std::vector<double> standard = standard_row(inputs, batch, head, rows[r]);
      for (std::size_t d = 0; d < head_dim; ++d) {
        const double want = exact.o[r * head_dim + d];
        const double error = std::abs(static_cast<double>(got[d]) - want);
        accuracy.max_abs_error =
            std::isnan(error) ? INFINITY : std::max(accuracy.max_abs_error, error);
        standard_error = std::max(standard_error, std::abs(standard[d] - want));
        largest = std::max(largest, std::abs(want));
      }
    }
  }
  accuracy.tolerance = 2 * standard_error + unit * largest;
  return accuracy;
}

}  // namespace flashscope::gpu
