// See literal.h.
#include "sim/expression/literal.h"

#include <charconv>
#include <system_error>

#include "sim/expression/expression_error.h"

namespace flashscope::expression {
namespace {

bool is_hexadecimal(std::string_view token) {
  return token.starts_with("0x") || token.starts_with("0X");
}

}  // namespace

std::int64_t integer_literal(std::string_view text, std::size_t begin, std::size_t end) {
  const bool hexadecimal = is_hexadecimal(text.substr(begin, end - begin));
  const char* first = text.data() + begin + (hexadecimal ? 2 : 0);
  const char* last = text.data() + end;
  std::int64_t value = 0;
  const auto [stop, status] = std::from_chars(first, last, value, hexadecimal ? 16 : 10);
  if (status == std::errc::invalid_argument || stop != last) {
    throw error_at(text, begin, "not an integer; write digits, or 0x and hexadecimal digits");
  }
  if (status == std::errc::result_out_of_range) {
    throw error_at(text, begin,
                   "number does not fit in 64 bits; the largest is 9223372036854775807");
  }
  return value;
}

double real_literal(std::string_view text, std::size_t begin, std::size_t end) {
  if (is_hexadecimal(text.substr(begin, end - begin))) {
    return static_cast<double>(integer_literal(text, begin, end));
  }
  const char* last = text.data() + end;
  double value = 0;
  const auto [stop, status] = std::from_chars(text.data() + begin, last, value);
  if (status == std::errc::invalid_argument || stop != last) {
    throw error_at(text, begin, "not a number; write it like 12, 0.5, 1e-3, 0xff or inf");
  }
  if (status == std::errc::result_out_of_range) {
    throw error_at(text, begin, "number does not fit in a double (about 1e-307 to 1e308)");
  }
  return value;
}

}  // namespace flashscope::expression
