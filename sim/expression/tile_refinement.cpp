// See tile_refinement.h.
#include "sim/expression/tile_refinement.h"

#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "sim/error.h"

namespace flashscope::expression {
namespace {

// Below this many elements, evaluating all is about as cheap as splitting further.
constexpr std::int64_t kSmallArea = 1024;

enum class Goal { verdict, count };

class Refinement {
 public:
  Refinement(const MaskExpression& mask, const MaskScope& scope, Goal goal)
      : mask_(mask), scope_(scope), goal_(goal) {}

  std::int64_t visible() const { return visible_; }
  std::int64_t invisible() const { return invisible_; }

  void visit(IndexRange q, IndexRange k, bool may_throw) {
    if (decided() && !may_throw) return;  // what is left unseen has no Error to report
    const std::int64_t area = q.size() * k.size();
    const std::optional<Interval> bounds = mask_.bounds(scope_, q, k);
    if (bounds && !bounds->contains(0)) {
      visible_ += area;
    } else if (bounds && bounds->low == bounds->high) {
      invisible_ += area;
    } else if (area <= kSmallArea) {
      evaluate(q, k, !bounds);
    } else if (q.size() > k.size()) {
      const std::int64_t middle = std::midpoint(q.begin, q.end);
      visit({q.begin, middle}, k, !bounds);
      visit({middle, q.end}, k, !bounds);
    } else {
      const std::int64_t middle = std::midpoint(k.begin, k.end);
      visit(q, {k.begin, middle}, !bounds);
      visit(q, {middle, k.end}, !bounds);
    }
  }

 private:
  // Both kinds have been seen: no further element changes the verdict.
  bool decided() const { return goal_ == Goal::verdict && visible_ > 0 && invisible_ > 0; }

  void evaluate(IndexRange q, IndexRange k, bool may_throw) {
    std::array<std::uint8_t, kSmallArea> elements;
    const std::span<std::uint8_t> row(elements.data(), static_cast<std::size_t>(k.size()));
    for (std::int64_t r = q.begin; r < q.end && !(decided() && !may_throw); ++r) {
      mask_.visible_row(scope_, r, k.begin, row);
      const std::int64_t seen = std::accumulate(row.begin(), row.end(), std::int64_t{0});
      visible_ += seen;
      invisible_ += k.size() - seen;
    }
  }

  const MaskExpression& mask_;
  const MaskScope& scope_;
  const Goal goal_;
  std::int64_t visible_ = 0;
  std::int64_t invisible_ = 0;
};

// Evaluates row by row, so that the first element to throw does. Returns when none throws.
void throw_first_error(const MaskExpression& mask, const MaskScope& scope, IndexRange q,
                       IndexRange k) {
  std::vector<std::uint8_t> row(static_cast<std::size_t>(k.size()));
  for (std::int64_t r = q.begin; r < q.end; ++r) {
    if (!mask.bounds(scope, {r, r + 1}, k)) mask.visible_row(scope, r, k.begin, row);
  }
}

Refinement refine(const MaskExpression& mask, const MaskScope& scope, IndexRange q, IndexRange k,
                  Goal goal) {
  Refinement refinement(mask, scope, goal);
  if (q.empty() || k.empty()) return refinement;
  try {
    refinement.visit(q, k, true);
  } catch (const Error&) {
    throw_first_error(mask, scope, q, k);  // the rectangles were not visited row by row
    throw;
  }
  return refinement;
}

}  // namespace

Verdict classify_exactly(const MaskExpression& mask, const MaskScope& scope, IndexRange q,
                         IndexRange k) {
  const Refinement refinement = refine(mask, scope, q, k, Goal::verdict);
  if (refinement.visible() == 0) return Verdict::none;
  return refinement.invisible() == 0 ? Verdict::all : Verdict::some;
}

std::int64_t count_visible(const MaskExpression& mask, const MaskScope& scope, IndexRange q,
                           IndexRange k) {
  return refine(mask, scope, q, k, Goal::count).visible();
}

}  // namespace flashscope::expression
