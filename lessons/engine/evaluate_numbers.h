// Numbers with their units in running text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lessons/engine/evaluate.h"

namespace flashscope::lessons {

struct NumberInText {
  std::size_t begin = 0, end = 0;  // with its unit
  StatedNumber stated;
  double rounded_tolerance = 0;  // when zeros at its end are not meant
  bool is_claim = false;  // a point, a thousands comma or a unit: somebody measured or computed it
};

// The first number at or behind `from`. No number: the 16 of fp16, the 2.1 of version 2.1.3, an
// exponent. The text is one that plain_numbers() gave.
std::optional<NumberInText> next_number(std::string_view text, std::size_t from);

// With the typographic forms of blanks, minus and times (U+00A0, U+2212, U+00D7, …) as ASCII, and
// every run of blanks as one.
std::string plain_numbers(std::string_view text);

}  // namespace flashscope::lessons
