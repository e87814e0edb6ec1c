// Reading numbers out of text; see evaluate.h and evaluate_numbers.h.
#include "lessons/engine/evaluate_numbers.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace flashscope::lessons {
namespace {

struct UnitName {
  std::string_view name;
  double factor;
  Unit unit;
};

constexpr double kMib = 1024.0 * 1024;
// Longer names before those they begin with.
constexpr UnitName kUnits[] = {
    {"percent", 0.01, Unit::percent},
    {"%", 0.01, Unit::percent},
    {"times", 1, Unit::times},
    {"x", 1, Unit::times},
    {"bytes", 1, Unit::bytes},
    {"byte", 1, Unit::bytes},
    {"kB/s", 1e3, Unit::none},
    {"MB/s", 1e6, Unit::none},
    {"GB/s", 1e9, Unit::none},
    {"TB/s", 1e12, Unit::none},
    {"B/s", 1, Unit::none},
    {"kB", 1e3, Unit::bytes},
    {"MB", 1e6, Unit::bytes},
    {"GB", 1e9, Unit::bytes},
    {"TB", 1e12, Unit::bytes},
    {"PB", 1e15, Unit::bytes},
    {"B", 1, Unit::bytes},
    {"KiB", 1024, Unit::binary_bytes},
    {"MiB", kMib, Unit::binary_bytes},
    {"GiB", 1024 * kMib, Unit::binary_bytes},
    {"TiB", kMib* kMib, Unit::binary_bytes},
    {"GFLOP/s", 1e9, Unit::none},
    {"TFLOP/s", 1e12, Unit::none},
    {"PFLOP/s", 1e15, Unit::none},
    {"MFLOP", 1e6, Unit::none},
    {"GFLOP", 1e9, Unit::none},
    {"TFLOP", 1e12, Unit::none},
    {"PFLOP", 1e15, Unit::none},
    {"FLOP/byte", 1, Unit::none},
    {"FLOP/B", 1, Unit::none},
    {"FLOP", 1, Unit::none},
    {"MHz", 1e6, Unit::none},
    {"GHz", 1e9, Unit::none},
    {"microseconds", 1, Unit::microseconds},
    {"us", 1, Unit::microseconds},
    {"milliseconds", 1e3, Unit::microseconds},
    {"ms", 1e3, Unit::microseconds},
    {"seconds", 1e6, Unit::microseconds},
    {"s", 1e6, Unit::microseconds},
    {"thousand", 1e3, Unit::none},
    {"million", 1e6, Unit::none},
    {"billion", 1e9, Unit::none},
    {"trillion", 1e12, Unit::none},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
char at(std::string_view text, std::size_t n) { return n < text.size() ? text[n] : '\0'; }

// The length of digits that may be grouped by commas, as "2,181,038" or "1024".
std::size_t integer_length(std::string_view text, bool& grouped) {
  std::size_t n = 0;
  while (is_digit(at(text, n))) ++n;
  grouped = false;
  if (n == 0 || n > 3) return n;
  while (at(text, n) == ',' && is_digit(at(text, n + 1)) && is_digit(at(text, n + 2)) &&
         is_digit(at(text, n + 3)) && !is_digit(at(text, n + 4))) {
    n += 4;
    grouped = true;
  }
  return n;
}

// The unit behind a number, and where it ends.
const UnitName* find_unit(std::string_view text, std::size_t& end) {
  const std::size_t begin = at(text, end) == ' ' ? end + 1 : end;
  for (const UnitName& unit : kUnits) {
    if (!text.substr(begin).starts_with(unit.name)) continue;
    const std::size_t behind = begin + unit.name.size();
    const char next = at(text, behind);
    const bool word_ends = unit.name == "%" || (!is_letter(next) && !is_digit(next));
    // A size such as 4 x 4, and a bare s, which ends too many words.
    const bool a_size = unit.name == "x" && next == ' ' && is_digit(at(text, behind + 1));
    if (!word_ends || a_size) continue;
    end = behind;
    return &unit;
  }
  return nullptr;
}

// A number that begins exactly here. `end` is set also when it is none that counts.
std::optional<NumberInText> number_at(std::string_view text, std::size_t begin, std::size_t& end) {
  NumberInText number;
  number.begin = begin;
  std::size_t n = begin;
  const bool negative = at(text, n) == '-';
  if (negative) ++n;
  bool grouped = false;
  const std::size_t digits = integer_length(text.substr(n), grouped);
  std::string plain(text.substr(n, digits));
  std::erase(plain, ',');
  n += digits;
  int decimals = 0;
  if (at(text, n) == '.' && is_digit(at(text, n + 1))) {
    plain += '.';
    for (++n; is_digit(at(text, n)); ++n, ++decimals) plain += text[n];
  }
  int exponent = 0;
  bool overflows = false;
  if (at(text, n) == 'e' &&
      (is_digit(at(text, n + 1)) ||
       ((at(text, n + 1) == '-' || at(text, n + 1) == '+') && is_digit(at(text, n + 2))))) {
    const std::size_t sign = at(text, n + 1) == '+' ? 2 : 1;
    const char* const first = text.data() + n + sign;
    const auto [last, code] = std::from_chars(first, text.data() + text.size(), exponent);
    n = static_cast<std::size_t>(last - text.data());
    overflows = code != std::errc();
  }
  end = n;
  if (overflows) return std::nullopt;
  const bool version = at(text, n) == '.' && is_digit(at(text, n + 1));
  if (version || is_letter(at(text, n)) || at(text, n) == '^') {
    // Digits that go on as a word: a unit, or no number.
    if (version || at(text, n) == '^' || find_unit(text, end) == nullptr) {
      while (is_digit(at(text, end)) || is_letter(at(text, end)) ||
             (at(text, end) == '.' && is_digit(at(text, end + 1)))) {
        ++end;
      }
      return std::nullopt;
    }
    end = n;
  }
  const UnitName* const unit = find_unit(text, end);
  const double factor = (unit != nullptr ? unit->factor : 1) * std::pow(10.0, exponent);
  double value = 0;
  std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (!std::isfinite(value * factor)) return std::nullopt;
  std::size_t zeros = 0;
  if (decimals == 0) {
    while (zeros + 1 < plain.size() && plain[plain.size() - 1 - zeros] == '0') ++zeros;
  }
  number.end = end;
  number.stated.value = (negative ? -value : value) * factor;
  number.stated.tolerance = 0.5 * std::pow(10.0, -decimals) * std::abs(factor);
  number.stated.unit = unit != nullptr ? unit->unit : Unit::none;
  number.rounded_tolerance = number.stated.tolerance * std::pow(10.0, static_cast<double>(zeros));
  number.is_claim = decimals > 0 || grouped || exponent != 0 || unit != nullptr;
  return number;
}

// Whether words begin with a unit in the wrong letters: KB, gb, mib.
bool is_unit_typo(std::string_view words) {
  while (words.starts_with(' ')) words.remove_prefix(1);
  const std::string_view word = words.substr(0, words.find(' '));
  const auto same_letters = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  return std::any_of(std::begin(kUnits), std::end(kUnits), [&](const UnitName& unit) {
    return std::equal(unit.name.begin(), unit.name.end(), word.begin(), word.end(), same_letters);
  });
}

}  // namespace

bool StatedNumber::agrees(double other) const {
  if (std::isinf(value)) return value == other;
  // A value that lies just between two digits may be rounded either way.
  return std::abs(other - value) <= tolerance * (1 + 1e-9) + 1e-12 * std::abs(value);
}

std::string plain_numbers(std::string_view text) {
  static constexpr struct {
    std::string_view from, to;
  } kForms[] = {{"\u00a0", " "},   {"\u2009", " "}, {"\u202f", " "},
                {"\u2212", "-"},   {"\u00d7", "x"}, {"\u00b5s", "us"},
                {"\u03bcs", "us"}, {"\n", " "},     {"\t", " "}};
  std::string result;
  while (!text.empty()) {
    std::string_view to = text.substr(0, 1);
    std::size_t length = 1;
    for (const auto& form : kForms) {
      if (!text.starts_with(form.from)) continue;
      to = form.to;
      length = form.from.size();
      break;
    }
    text.remove_prefix(length);
    if (to == " " && (result.empty() || result.back() == ' ')) continue;
    result += to;
  }
  return result;
}

std::optional<NumberInText> next_number(std::string_view text, std::size_t from) {
  std::size_t n = from;
  while (n < text.size()) {
    const char before = n > 0 ? text[n - 1] : ' ';
    const bool sign = text[n] == '-' && is_digit(at(text, n + 1));
    if (!is_digit(text[n]) && !sign) {
      ++n;
      continue;
    }
    // The dash of 2-3 is no sign.
    if (sign && (is_digit(before) || is_letter(before) || before == ')' || before == ']')) {
      ++n;
      continue;
    }
    std::size_t end = n;
    const std::optional<NumberInText> number = number_at(text, n, end);
    // fp16, e^-2, .5
    const bool part = is_letter(before) || before == '^' || before == '.' ||
                      (static_cast<unsigned char>(before) >= 0x80);
    if (number && !part) return number;
    n = std::max(end, n + 1);
  }
  return std::nullopt;
}

std::optional<StatedNumber> parse_stated(std::string_view text) {
  const std::string plain = plain_numbers(text);
  std::string_view rest = plain;
  const auto skip_blanks = [&] {
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    while (rest.ends_with(' ')) rest.remove_suffix(1);
  };
  skip_blanks();
  bool about = false;
  for (const std::string_view word : {"~", "about "}) {
    if (!rest.starts_with(word)) continue;
    rest.remove_prefix(word.size());
    about = true;
  }
  skip_blanks();
  if (rest == "inf" || rest == "-inf") {
    return StatedNumber{rest[0] == '-' ? -INFINITY : INFINITY, 0, Unit::none};
  }
  if (rest.empty() || !(is_digit(rest[0]) || rest[0] == '-')) return std::nullopt;
  const std::optional<NumberInText> number = next_number(rest, 0);
  if (!number || number->begin != 0) return std::nullopt;
  // Words may follow, such as those of "64 rows"; no other number.
  const std::string_view words = rest.substr(number->end);
  if (!words.empty() && words[0] != ' ') return std::nullopt;
  const bool fine = std::all_of(words.begin(), words.end(), [](char c) {
    return is_letter(c) || c == ' ' || c == '-' || c == '/';
  });
  if (!fine || is_unit_typo(words)) return std::nullopt;
  StatedNumber stated = number->stated;
  if (about) stated.tolerance = number->rounded_tolerance;
  return stated;
}

}  // namespace flashscope::lessons
