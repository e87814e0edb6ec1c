// What must not change a bit of O and LSE: the number of threads, the company of other heads and
// batches, and how the inputs lie in memory. Packing GQA groups changes which rows share a tile, so
// there the results agree within rounding only.
#include <doctest/doctest.h>

#include "run_support.h"

using namespace flashscope;
using namespace flashscope::test;

namespace {

Problem mixed_problem(Format dtype = Format::fp32) {
  Problem problem = make_problem(2, 4, 2, 37, 45, 12);
  problem.dtype = dtype;
  problem.mask.causal = true;
  problem.mask.window_left = 30;
  return problem;
}

// One head of one batch; for K and V, the head counts kv heads.
TensorView slice(TensorView view, std::int64_t batch, std::int64_t head) {
  view.data += bytes_per_element(view.format) * (batch * view.strides[0] + head * view.strides[1]);
  view.shape[0] = view.shape[1] = 1;
  return view;
}

bool slice_has_same_bits(const Outputs& all, std::int64_t batch, std::int64_t head,
                         const Outputs& one) {
  const auto equal = [&](const Tensor& whole, const Tensor& part) {
    const auto size = part.bytes().size();
    const auto index = static_cast<std::size_t>(batch * whole.shape()[1] + head);
    return std::ranges::equal(whole.bytes().subspan(index * size, size), part.bytes());
  };
  return equal(all.o, one.o) && equal(all.lse, one.lse);
}

Tensor in_format(const TensorView& source, Format format) {
  Tensor tensor(format, source.shape);
  std::vector<float> values(static_cast<std::size_t>(source.shape[3]));
  for (std::int64_t b = 0; b < source.shape[0]; ++b) {
    for (std::int64_t h = 0; h < source.shape[1]; ++h) {
      for (std::int64_t r = 0; r < source.shape[2]; ++r) {
        source.read_row(b, h, r, values);
        tensor.write_row(b, h, r, values);
      }
    }
  }
  return tensor;
}

std::vector<Variant> variants_at(std::initializer_list<Tiling> tilings) {
  std::vector<Variant> variants;
  for (const Tiling& tiling : tilings) {
    for (const Variant& variant : algorithms_at(tiling)) variants.push_back(variant);
  }
  return variants;
}

// The inputs laid out by `move` give the bits that they give when dense.
template <typename Move>
void check_layout(const Scenario& dense, const Move& move) {
  Scenario moved = dense;
  moved.inputs = {move(dense.inputs.q), move(dense.inputs.k), move(dense.inputs.v)};
  for (const Variant& variant : variants_at({tiles(5, 4), tiles(64, 64)})) {
    const std::string what = describe(variant);
    CAPTURE(what);
    CHECK(same_bits(run_variant(moved, variant).outputs, run_variant(dense, variant).outputs));
  }
}

}  // namespace

TEST_CASE("the number of threads changes no bit, nor does another run") {
  for (const Format dtype : {Format::fp32, Format::fp16}) {
    const Scenario scenario = random_scenario(mixed_problem(dtype), 1);
    Tiling packed = tiles(6, 8);
    packed.pack_gqa = true;
    for (const Variant& variant : variants_at({tiles(1, 1), tiles(8, 16), packed})) {
      const std::string what = describe(variant);
      CAPTURE(what);
      const Result one = run_variant(scenario, variant, 1);
      for (const int threads : {1, 2, 3, 7}) {
        CAPTURE(threads);
        const Result more = run_variant(scenario, variant, threads);
        CHECK(same_bits(more.outputs, one.outputs));
        CHECK(more.totals.ledger.traffic() == one.totals.ledger.traffic());
        CHECK(more.totals.ledger.work() == one.totals.ledger.work());
        CHECK(more.totals.rescales_applied == one.totals.rescales_applied);
      }
    }
  }
}

TEST_CASE("one head of one batch has the bits of that head's problem alone") {
  const Scenario scenario = random_scenario(mixed_problem(), 2);
  Scenario alone = scenario;
  alone.problem.batch = alone.problem.q_heads = alone.problem.kv_heads = 1;
  for (const Variant& variant : variants_at({tiles(1, 1), tiles(5, 4), tiles(16, 64)})) {
    const std::string what = describe(variant);
    CAPTURE(what);
    const Result all = run_variant(scenario, variant);
    for (std::int64_t batch = 0; batch < 2; ++batch) {
      for (std::int64_t head = 0; head < 4; ++head) {
        alone.inputs = {slice(scenario.inputs.q, batch, head),
                        slice(scenario.inputs.k, batch, head / 2),
                        slice(scenario.inputs.v, batch, head / 2)};
        CHECK(slice_has_same_bits(all.outputs, batch, head, run_variant(alone, variant).outputs));
      }
    }
  }
}

TEST_CASE("case 13: the layout of the inputs changes no bit (FlagAttention #45)") {
  Problem problem = make_problem(2, 3, 3, 11, 11, 5);
  problem.mask.causal = true;
  for (const Format format : {Format::fp32, Format::fp16, Format::bf16}) {
    problem.dtype = format;
    Scenario dense = random_scenario(problem, 13);
    dense.inputs = {in_format(dense.inputs.q, format).view(),
                    in_format(dense.inputs.k, format).view(),
                    in_format(dense.inputs.v, format).view()};
    const std::int64_t elements = 2 * 3 * 11 * 5;
    SUBCASE("batch, row, head, column") {
      check_layout(dense, [&](const TensorView& view) {
        return laid_out(view, {165, 5, 15, 1}, 0, elements);
      });
    }
    SUBCASE("column by column, as Fortran stores") {
      check_layout(dense, [&](const TensorView& view) {
        return laid_out(view, {1, 2, 6, 66}, 0, elements);
      });
    }
    SUBCASE("every direction backwards") {
      check_layout(dense, [&](const TensorView& view) {
        return laid_out(view, {-165, -55, -5, -1}, elements - 1, elements);
      });
    }
    SUBCASE("K and V with different strides") {
      int calls = 0;
      check_layout(dense, [&](const TensorView& view) {
        return ++calls == 2 ? laid_out(view, {1, 2, 6, 66}, 0, elements)
                            : laid_out(view, {200, 60, -5, 1}, 50, 400);
      });
    }
  }
}

TEST_CASE("case 13: views into one packed (B, L, 3, H, D) tensor change no bit") {
  Problem problem = make_problem(2, 3, 3, 11, 11, 5);
  const Scenario dense = random_scenario(problem, 14);
  // One allocation: element (b, l, n, h, d) of n = q, k, v.
  Tensor packed(Format::fp32, {2, 11, 9, 5});
  std::vector<float> values(5);
  const TensorView* sources[] = {&dense.inputs.q, &dense.inputs.k, &dense.inputs.v};
  for (std::int64_t n = 0; n < 18 * 11; ++n) {
    const std::int64_t b = n / 99, row = n / 9 % 11, part = n / 3 % 3, head = n % 3;
    sources[part]->read_row(b, head, row, values);
    packed.write_row(b, row, part * 3 + head, values);
  }
  std::int64_t part = 0;
  check_layout(dense, [&](const TensorView& view) {
    TensorView result = packed.view();
    result.data += 4 * 15 * part++;
    result.shape = view.shape;
    result.strides = {11 * 45, 5, 45, 1};
    return result;
  });
}

TEST_CASE("a stride of 0 repeats one head for all") {
  Scenario scenario = random_scenario(make_problem(2, 3, 3, 6, 7, 4), 15);
  Scenario repeated = scenario;
  repeated.inputs.k.strides[1] = repeated.inputs.v.strides[1] = 0;
  scenario.problem.kv_heads = 1;
  scenario.inputs.k.shape[1] = scenario.inputs.v.shape[1] = 1;
  for (const Variant& variant : algorithms_at(tiles(4, 4))) {
    CHECK(
        same_bits(run_variant(repeated, variant).outputs, run_variant(scenario, variant).outputs));
  }
}

TEST_CASE("packed GQA groups give the same answer, row for row") {
  for (const Format dtype : {Format::fp32, Format::bf16}) {
    const Scenario scenario = random_scenario(mixed_problem(dtype), 3);
    const Truth truth(scenario, dtype);
    for (const Tiling& tiling : {tiles(1, 1), tiles(3, 4), tiles(16, 16), tiles(512, 64)}) {
      for (Variant variant : algorithms_at(tiling)) {
        check_variant(scenario, variant, truth);
        variant.tiling.pack_gqa = true;
        check_variant(scenario, variant, truth);
      }
    }
  }
}
