// Arrays from files as tensors; see from_arrays.h.
#include "sim/scenario/from_arrays.h"

#include <cstring>

#include <fmt/format.h>

#include "sim/error.h"

namespace flashscope {
namespace {

Format format_of_elements(io::ElementType type) {
  switch (type) {
    case io::ElementType::f16:
      return Format::fp16;
    case io::ElementType::bf16:
      return Format::bf16;
    case io::ElementType::e4m3:
      return Format::e4m3;
    case io::ElementType::f32:
    case io::ElementType::f64:
      break;
  }
  return Format::fp32;
}

// The simulated machine has no fp64; the nearest fp32 is what a user would have converted to.
TensorView convert_fp64(const TensorView& source) {
  Tensor result(Format::fp32, source.shape);
  std::vector<float> values(static_cast<std::size_t>(source.shape[3]));
  for (std::int64_t b = 0; b < source.shape[0]; ++b) {
    for (std::int64_t h = 0; h < source.shape[1]; ++h) {
      for (std::int64_t r = 0; r < source.shape[2]; ++r) {
        for (std::int64_t c = 0; c < source.shape[3]; ++c) {
          const std::int64_t index = b * source.strides[0] + h * source.strides[1] +
                                     r * source.strides[2] + c * source.strides[3];
          double value = 0;
          std::memcpy(&value, source.data + index * 8, sizeof value);
          values[static_cast<std::size_t>(c)] = static_cast<float>(value);
        }
        result.write_row(b, h, r, values);
      }
    }
  }
  return result.view();
}

void require_equal(std::int64_t a, std::int64_t b, const char* what, const TensorView& left,
                   const char* left_name, const TensorView& right, const char* right_name) {
  if (a == b) return;
  const auto text = [](const TensorView& view) {
    return fmt::format("{}", fmt::join(view.shape, ", "));
  };
  throw Error(
      fmt::format("{} and {} have different {}: {} is ({}), {} is ({}), as batch, heads, "
                  "rows, head_dim; is --layout right?",
                  left_name, right_name, what, left_name, text(left), right_name, text(right)));
}

}  // namespace

TensorView tensor_view(const io::Array& array, Layout layout, const std::string& what) {
  const std::size_t rank = array.shape.size();
  if (rank < 2 || rank > 4) {
    throw Error(
        fmt::format("{} has shape {}: it must have 2 (rows, head_dim), 3 (with heads) or 4 "
                    "(with batch and heads) dimensions",
                    what, io::shape_text(array.shape)));
  }
  TensorView view;
  view.format = format_of_elements(array.type);
  view.data = array.data.get();
  view.owner = array.data;
  view.shape = {1, 1, 1, 1};
  view.strides = {0, 0, 0, 0};
  for (std::size_t d = 0; d < rank; ++d) {
    std::size_t to = 4 - rank + d;
    if (layout == Layout::bshd && rank >= 3 && (to == 1 || to == 2)) to = 3 - to;
    view.shape[to] = array.shape[d];
    view.strides[to] = array.strides[d];
  }
  return array.type == io::ElementType::f64 ? convert_fp64(view) : view;
}

Scenario scenario_from_arrays(const io::Array& q, const io::Array& k, const io::Array& v,
                              Layout layout, const std::string& title) {
  Scenario scenario;
  scenario.title = title;
  scenario.inputs = {tensor_view(q, layout, "q"), tensor_view(k, layout, "k"),
                     tensor_view(v, layout, "v")};
  const auto& [qv, kv, vv] = scenario.inputs;
  require_equal(qv.shape[0], kv.shape[0], "batch sizes", qv, "q", kv, "k");
  require_equal(qv.shape[3], kv.shape[3], "head dims", qv, "q", kv, "k");
  require_equal(kv.shape[0], vv.shape[0], "batch sizes", kv, "k", vv, "v");
  require_equal(kv.shape[1], vv.shape[1], "numbers of heads", kv, "k", vv, "v");
  require_equal(kv.shape[2], vv.shape[2], "lengths", kv, "k", vv, "v");
  require_equal(kv.shape[3], vv.shape[3], "head dims", kv, "k", vv, "v");
  if (qv.format != kv.format || kv.format != vv.format) {
    throw Error(
        fmt::format("q, k and v have different element types: {}, {} and {}; convert them to "
                    "one",
                    name_of(qv.format), name_of(kv.format), name_of(vv.format)));
  }
  Problem& problem = scenario.problem;
  problem.batch = qv.shape[0];
  problem.q_heads = qv.shape[1];
  problem.kv_heads = kv.shape[1];
  problem.q_len = qv.shape[2];
  problem.kv_len = kv.shape[2];
  problem.head_dim = qv.shape[3];
  problem.dtype = qv.format;
  validate(problem);
  problem.scale = default_scale(problem.head_dim);
  return scenario;
}

}  // namespace flashscope
