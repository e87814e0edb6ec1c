// The table of statement forms; see forms.h.
#include "sim/attention/forms.h"

#include <array>

namespace flashscope {
namespace {

constexpr std::array kForms = {
    Form{LineKind::load, "load A", "copy the tile of the tensor of that name from HBM"},
    Form{LineKind::load, "load v", "copy the entries of these rows from HBM"},
    Form{LineKind::load, "load A from H", "copy the tile from another tensor in HBM"},
    Form{LineKind::load, "load v from H", "copy the entries from another tensor in HBM"},
    Form{LineKind::store, "store A", "copy the tile to the tensor of that name in HBM"},
    Form{LineKind::store, "store v", "copy the entries of these rows to HBM"},
    Form{LineKind::store, "store A to H", "copy the tile to another tensor in HBM"},
    Form{LineKind::store, "store v to H", "copy the entries to another tensor in HBM"},
    Form{LineKind::fill, "A = n", "set every element"},
    Form{LineKind::fill, "v = n", "set every entry"},
    Form{LineKind::product, "A = scale * B C'", "scores: product with a transpose, scaled"},
    Form{LineKind::product, "A = B C'", "product with a transpose"},
    Form{LineKind::scale, "A = scale * A", "multiply by the problem's scale"},
    Form{LineKind::mask, "mask A", "set what the mask hides, and keys past the end, to -inf"},
    Form{LineKind::row_max, "v = rowmax A", "maximum of each row"},
    Form{LineKind::running_max, "v = max(u, rowmax A)", "the running max after this tile"},
    Form{LineKind::keep_max, "v = u if v - u <= threshold",
         "keep the old max where it grew by no more than the rescale threshold"},
    Form{LineKind::exp_tile, "A = exp(B - v)", "exponentials against a row maximum"},
    Form{LineKind::exp_vector, "v = exp(u - w)", "the rescale factor"},
    Form{LineKind::row_sum, "v = rowsum A", "sum of each row"},
    Form{LineKind::running_sum, "v = u * v + rowsum A", "the running sum after this tile"},
    Form{LineKind::add_row_sum, "v = v + rowsum A", "add the sum of each row"},
    Form{LineKind::multiply, "v = u * v", "multiply entry by entry"},
    Form{LineKind::rescale, "A = v * A", "multiply each row by its factor"},
    Form{LineKind::accumulate, "A = A + B C", "add a tile product"},
    Form{LineKind::accumulate_split, "A = A + B[split] * C",
         "add a partial result, weighted by the column of its split"},
    Form{LineKind::divide, "A = A / v", "divide each row; rows with 0 become 0"},
    Form{LineKind::copy, "v = u", "copy entry by entry"},
    Form{LineKind::log_sum_exp, "v = u + ln w", "log-sum-exp from maximum and sum"},
    Form{LineKind::cast, "cast A to F", "round to the format of a stage"},
};

}  // namespace

std::span<const Form> forms() { return kForms; }

std::string_view name_of(LineKind kind) {
  switch (kind) {
    case LineKind::load:
      return "load";
    case LineKind::store:
      return "store";
    case LineKind::fill:
      return "fill";
    case LineKind::product:
      return "product";
    case LineKind::scale:
      return "scale";
    case LineKind::mask:
      return "mask";
    case LineKind::row_max:
      return "row_max";
    case LineKind::running_max:
      return "running_max";
    case LineKind::keep_max:
      return "keep_max";
    case LineKind::exp_tile:
      return "exp_tile";
    case LineKind::exp_vector:
      return "exp_vector";
    case LineKind::row_sum:
      return "row_sum";
    case LineKind::running_sum:
      return "running_sum";
    case LineKind::add_row_sum:
      return "add_row_sum";
    case LineKind::multiply:
      return "multiply";
    case LineKind::rescale:
      return "rescale";
    case LineKind::accumulate:
      return "accumulate";
    case LineKind::accumulate_split:
      return "accumulate_split";
    case LineKind::divide:
      return "divide";
    case LineKind::copy:
      return "copy";
    case LineKind::log_sum_exp:
      return "log_sum_exp";
    case LineKind::cast:
      return "cast";
  }
  return "?";
}

}  // namespace flashscope
