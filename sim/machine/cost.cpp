// Costs of lines; see cost.h.
#include "sim/machine/cost.h"

#include <initializer_list>

namespace flashscope {
namespace {

bool lies_along(Dim dim, StepAxis axis) {
  return (axis == StepAxis::kv_tile && dim == Dim::kv_tile) ||
         (axis == StepAxis::q_tile && dim == Dim::q_tile);
}

// The product of the dimensions' sizes, over all steps.
std::int64_t volume(std::initializer_list<Dim> dims, const Extent& extent) {
  std::int64_t result = 1;
  bool summed = false;
  for (const Dim dim : dims) {
    summed = summed || lies_along(dim, extent.summed);
    switch (dim) {
      case Dim::one:
        break;
      case Dim::q_row:
      case Dim::q_tile:
      case Dim::q_len:
        result *= extent.q_rows;
        break;
      case Dim::kv_tile:
        result *= extent.kv_rows;
        break;
      case Dim::kv_len:
        result *= extent.kv_len;
        break;
      case Dim::head_dim:
        result *= extent.head_dim;
        break;
      case Dim::splits:
        result *= extent.splits;
        break;
    }
  }
  return summed ? result : result * extent.steps;
}

}  // namespace

Extent extent_of(const Program& program, const Segment& segment) {
  return {program.q_rows(segment).size(),
          program.kv_rows(segment).size(),
          program.problem().head_dim,
          program.tiling().splits,
          program.problem().kv_len,
          StepAxis::none,
          1};
}

std::int64_t elements(const Buffer& buffer, const Extent& extent) {
  return volume({buffer.rows, buffer.columns}, extent);
}

Work work_of(const Line& line, const Algorithm& algorithm, const Extent& extent) {
  const auto buffer = [&](int index) -> const Buffer& {
    return algorithm.buffers[static_cast<std::size_t>(index)];
  };
  const Buffer& result = buffer(line.result);
  const std::int64_t size = elements(result, extent);
  Work work;
  switch (line.kind) {
    case LineKind::product:
      work.matmul_flops =
          2 * volume({result.rows, result.columns, buffer(line.operands[0]).columns}, extent);
      if (line.scaled) work.nonmatmul_flops = size;
      break;
    case LineKind::accumulate:
      work.matmul_flops =
          2 * volume({result.rows, result.columns, buffer(line.operands[1]).columns}, extent);
      break;
    case LineKind::scale:
    case LineKind::multiply:
    case LineKind::divide:
    case LineKind::log_sum_exp:
      work.nonmatmul_flops = size;
      break;
    case LineKind::rescale:
      work.rescales = volume({result.rows}, extent);
      work.nonmatmul_flops = size;
      break;
    case LineKind::exp_tile:
    case LineKind::exp_vector:
      work.exponentials = size;
      work.nonmatmul_flops = size;  // the subtraction
      break;
    case LineKind::row_max:
    case LineKind::row_sum:
    case LineKind::running_max:
    case LineKind::add_row_sum:
      work.nonmatmul_flops = elements(buffer(line.operands.back()), extent);
      break;
    case LineKind::running_sum:  // the row is added onto alpha * l, one addition an element
      work.nonmatmul_flops = elements(buffer(line.operands.back()), extent) + size;
      break;
    case LineKind::accumulate_split:
      work.nonmatmul_flops = 2 * size;
      break;
    case LineKind::load:
    case LineKind::store:
    case LineKind::fill:
    case LineKind::mask:
    case LineKind::keep_max:
    case LineKind::copy:
    case LineKind::cast:
      break;
  }
  return work;
}

}  // namespace flashscope
