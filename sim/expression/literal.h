// Numbers as written in an expression. A sign is an operator and not part of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace flashscope::expression {

// The value of text[begin, end): decimal digits, or 0x and hexadecimal digits. Throws Error with a
// caret when it is no such number or exceeds 2^63 - 1.
std::int64_t integer_literal(std::string_view text, std::size_t begin, std::size_t end);

// Takes a fraction and an exponent too (0.5, .5, 1e-3); hexadecimal numbers are integers. Throws
// Error likewise, also when a double can't hold the magnitude.
double real_literal(std::string_view text, std::size_t begin, std::size_t end);

}  // namespace flashscope::expression
