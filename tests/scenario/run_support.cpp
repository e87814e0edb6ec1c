// Problems, variants and runs of run_support.h; the truth and its bounds are in truth.cpp.
#include "run_support.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/machine/count.h"
#include "sim/machine/numerics.h"

namespace flashscope::test {

Problem make_problem(std::int64_t batch, std::int64_t q_heads, std::int64_t kv_heads,
                     std::int64_t q_len, std::int64_t kv_len, std::int64_t head_dim) {
  Problem problem;
  problem.batch = batch;
  problem.q_heads = q_heads;
  problem.kv_heads = kv_heads;
  problem.q_len = q_len;
  problem.kv_len = kv_len;
  problem.head_dim = head_dim;
  problem.scale = default_scale(head_dim);
  problem.dtype = Format::fp32;
  return problem;
}

float zero(std::int64_t, std::int64_t, std::int64_t, std::int64_t) { return 0; }

Tensor filled(const Shape& shape, const Fill& fill) {
  Tensor tensor(Format::fp32, shape);
  std::vector<float> values(static_cast<std::size_t>(shape[3]));
  for (std::int64_t b = 0; b < shape[0]; ++b) {
    for (std::int64_t h = 0; h < shape[1]; ++h) {
      for (std::int64_t r = 0; r < shape[2]; ++r) {
        for (std::size_t d = 0; d < values.size(); ++d) {
          values[d] = fill(b, h, r, static_cast<std::int64_t>(d));
        }
        tensor.write_row(b, h, r, values);
      }
    }
  }
  return tensor;
}

Scenario make_scenario(const Problem& problem, const Fill& q, const Fill& k, const Fill& v) {
  const Shape q_shape{problem.batch, problem.q_heads, problem.q_len, problem.head_dim};
  const Shape kv_shape{problem.batch, problem.kv_heads, problem.kv_len, problem.head_dim};
  return {"test",
          problem,
          {filled(q_shape, q).view(), filled(kv_shape, k).view(), filled(kv_shape, v).view()}};
}

Scenario random_scenario(const Problem& problem, std::uint64_t seed) {
  return generated_scenario(problem, seed, {});
}

TensorView laid_out(const TensorView& source, const Shape& strides, std::int64_t origin,
                    std::int64_t elements) {
  const auto size = static_cast<std::size_t>(bytes_per_element(source.format));
  const std::shared_ptr<std::byte[]> bytes(
      new std::byte[static_cast<std::size_t>(elements) * size]);
  const std::vector<float> poison(static_cast<std::size_t>(elements),
                                  std::numeric_limits<float>::quiet_NaN());
  encode(source.format, poison, bytes.get());
  const std::byte* from = source.data;
  const auto& [batch, heads, rows, columns] = source.shape;
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t h = 0; h < heads; ++h) {
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < columns; ++c) {
          const Shape at{b, h, r, c};
          std::int64_t old_index = 0, new_index = origin;
          for (std::size_t n = 0; n < 4; ++n) {
            old_index += at[n] * source.strides[n];
            new_index += at[n] * strides[n];
          }
          REQUIRE(new_index >= 0);
          REQUIRE(new_index < elements);
          std::memcpy(bytes.get() + new_index * static_cast<std::int64_t>(size),
                      from + old_index * static_cast<std::int64_t>(size), size);
        }
      }
    }
  }
  return {bytes.get() + origin * static_cast<std::int64_t>(size), source.format, source.shape,
          strides, bytes};
}

bool sees(const Problem& problem, std::int64_t batch, std::int64_t head, std::int64_t row,
          std::int64_t key) {
  const Mask& mask = problem.mask;
  const std::int64_t diagonal = row + problem.kv_len - problem.q_len;
  if (mask.causal && key > diagonal) return false;
  if (mask.window_left >= 0 && key < diagonal - mask.window_left) return false;
  if (mask.window_right >= 0 && key > diagonal + mask.window_right) return false;
  return !mask.expression ||
         mask.expression->visible({batch, head, problem.q_len, problem.kv_len}, row, key);
}

std::string describe(const Variant& variant) {
  const Tiling& t = variant.tiling;
  return fmt::format(
      "{} tiles {}x{}{}{}{}{}", variant.algorithm, t.q_tile_rows, t.kv_tile_rows,
      t.splits > 1 ? fmt::format(", {} splits", t.splits) : "", t.pack_gqa ? ", packed" : "",
      t.kv_order == KvOrder::descending ? ", descending" : "",
      t.rescale_threshold ? fmt::format(", threshold {}", *t.rescale_threshold) : "");
}

Tiling tiles(std::int64_t q_tile_rows, std::int64_t kv_tile_rows) {
  Tiling tiling;
  tiling.q_tile_rows = q_tile_rows;
  tiling.kv_tile_rows = kv_tile_rows;
  return tiling;
}

std::vector<Variant> algorithms_at(const Tiling& tiling) {
  std::vector<Variant> variants;
  for (const char* name : {"standard", "fa1", "fa2"}) variants.push_back({name, tiling});
  for (const std::int64_t splits : {1, 2, 5}) {
    variants.push_back({"split_kv", tiling});
    variants.back().tiling.splits = splits;
  }
  return variants;
}

std::vector<Variant> all_variants(const Problem& problem) {
  std::vector<Variant> variants;
  for (const bool packed : {false, true}) {
    if (packed && problem.q_heads == problem.kv_heads) continue;
    for (Tiling tiling : {tiles(1, 1), tiles(2, 3), tiles(5, 4), tiles(16, 32), tiles(512, 1024)}) {
      tiling.pack_gqa = packed;
      const std::vector<Variant> more = algorithms_at(tiling);
      variants.insert(variants.end(), more.begin(), more.end());
    }
  }
  return variants;
}

Result run_table(const Scenario& scenario, const Algorithm& algorithm, const Tiling& tiling,
                 const Precision& precision, int threads) {
  Program program(scenario.problem, algorithm, tiling, precision);
  Outputs outputs = make_outputs(scenario.problem, precision);
  RunOptions options;
  options.threads = threads;
  RunTotals totals = run(program, scenario.inputs, outputs, options);
  return {std::move(program), std::move(outputs), std::move(totals)};
}

Result run_variant(const Scenario& scenario, const Variant& variant, int threads) {
  const Algorithm algorithm = load_algorithm(variant.algorithm);
  return run_table(scenario, algorithm, variant.tiling,
                   default_precision(algorithm, scenario.problem.dtype), threads);
}

bool same_bits(const Outputs& a, const Outputs& b) {
  const auto equal = [](const Tensor& x, const Tensor& y) {
    return std::ranges::equal(x.bytes(), y.bytes());
  };
  return equal(a.o, b.o) && equal(a.lse, b.lse);
}

Result check_variant(const Scenario& scenario, const Variant& variant, const Truth& truth) {
  const std::string what = describe(scenario.problem) + ": " + describe(variant);
  CAPTURE(what);
  Result result = run_variant(scenario, variant);
  CHECK(truth.worst_share(result.outputs, result.program.precision()) <= 1);
  const Ledger counted = count(result.program).ledger;
  CHECK(result.totals.ledger.traffic() == counted.traffic());
  CHECK(result.totals.ledger.work() == counted.work());
  return result;
}

void check_all_variants(const Scenario& scenario, const std::function<void(const Outputs&)>& also) {
  const Truth truth(scenario, scenario.problem.dtype);
  for (const Variant& variant : all_variants(scenario.problem)) {
    const std::string what = describe(variant);
    CAPTURE(what);
    const Result result = check_variant(scenario, variant, truth);
    if (also) also(result.outputs);
  }
}

}  // namespace flashscope::test
