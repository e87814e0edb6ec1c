// Fuzz target: any text is either rejected with an Error or is a mask whose ways of being evaluated
// agree: one key, a row of keys, the bounds of a rectangle and the refined answers. Likewise as an
// expression over a small state: rejected, or its ways of being asked agree. The values themselves
// are checked in tests/expression/.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/error.h"
#include "sim/expression/tile_refinement.h"
#include "tests/expression/sample_state.h"

namespace {

using flashscope::Error;
using flashscope::IndexRange;
using flashscope::expression::Interval;
using flashscope::expression::MaskExpression;
using flashscope::expression::MaskScope;
using flashscope::expression::SampleState;
using flashscope::expression::StateExpression;
using flashscope::expression::StateValue;
using flashscope::expression::Verdict;

constexpr IndexRange kRows{62, 67};
constexpr IndexRange kKeys{0, 70};
constexpr MaskScope kScope{1, 2, 96, 70};

void require(bool fact) {
  if (!fact) std::abort();
}

// Calls action() and returns the Error it throws, or an empty string.
template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

struct Brute {
  std::int64_t visible = 0;
  std::string error;  // of the first row with one
};

// Looks at every element, and compares with visible_row().
Brute look_at_every_element(const MaskExpression& mask) {
  Brute brute;
  for (std::int64_t q = kRows.begin; q < kRows.end; ++q) {
    std::array<std::uint8_t, kKeys.end - kKeys.begin> one_by_one{};
    std::array<std::uint8_t, kKeys.end - kKeys.begin> at_once{};
    const std::string error = error_of([&] {
      for (std::size_t n = 0; n < one_by_one.size(); ++n) {
        one_by_one[n] = mask.visible(kScope, q, kKeys.begin + static_cast<std::int64_t>(n));
      }
    });
    require(error == error_of([&] { mask.visible_row(kScope, q, kKeys.begin, at_once); }));
    require(!error.empty() || one_by_one == at_once);
    for (const std::uint8_t element : one_by_one) brute.visible += element;
    if (brute.error.empty()) brute.error = error;
  }
  return brute;
}

void check_consistency(const MaskExpression& mask) {
  const Brute brute = look_at_every_element(mask);
  const std::int64_t area = kRows.size() * kKeys.size();
  std::int64_t count = 0;
  Verdict exact = Verdict::none;
  const auto counts = [&] { count = count_visible(mask, kScope, kRows, kKeys); };
  const auto classifies = [&] { exact = classify_exactly(mask, kScope, kRows, kKeys); };
  require(error_of(counts) == brute.error);
  require(error_of(classifies) == brute.error);
  const Verdict quick = mask.classify(kScope, kRows, kKeys);
  if (!brute.error.empty()) {
    require(quick == Verdict::some && !mask.bounds(kScope, kRows, kKeys));
    return;
  }
  require(count == brute.visible);
  require((exact == Verdict::none) == (count == 0));
  require((exact == Verdict::all) == (count == area));
  require(quick == Verdict::some || quick == exact);
}

void require_readable(const std::string& error) {
  for (const char c : error) require((c >= ' ' && c <= '~') || c == '\n');
}

bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// One number: all three answers agree. A tile: only evaluate() has one.
void check_state_expression(const std::string& text) {
  const SampleState state;
  std::optional<StateExpression> expression;
  std::optional<StateValue> result;
  std::optional<double> value;
  std::optional<bool> condition;
  require_readable(
      error_of([&] { expression = StateExpression::parse(text, SampleState::vocabulary()); }));
  if (!expression) return;
  require_readable(error_of([&] { result = expression->evaluate(state); }));
  require_readable(error_of([&] { value = expression->value(state); }));
  require_readable(error_of([&] { condition = expression->condition(state); }));
  require(value.has_value() == (result && result->is_scalar));
  if (value) require(is_same(*value, result->at(0, 0)) && condition == (*value != 0));
  if (condition && *condition) require(value.has_value());
  for (const int index : expression->tiles_used()) require(index >= 0 && index < 8);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  check_state_expression(text);
  std::optional<MaskExpression> mask;
  const std::string error = error_of([&] { mask = MaskExpression::parse(text); });
  if (mask) {
    check_consistency(*mask);
    return 0;
  }
  require(!error.empty());
  require_readable(error);
  return 0;
}
