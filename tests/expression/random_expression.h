// Random masks for the tests, each with its value computed independently of the library (in 128-bit
// integers, by closures), and random scopes and rectangles to look at them in.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>

#include "sim/expression/mask_expression.h"

namespace flashscope::expression {

struct Point {
  MaskScope scope;
  std::int64_t q = 0;
  std::int64_t k = 0;
};

// The value at a point; nothing where the expression faults.
using Meaning = std::function<std::optional<std::int64_t>(const Point&)>;

struct RandomExpression {
  std::string text;  // every operation in parentheses: precedence is tested elsewhere
  Meaning meaning;
};

class RandomSource {
 public:
  explicit RandomSource(std::uint32_t seed) : engine_(seed) {}

  // Uniform in low..high. Our own, as std::uniform_int_distribution differs between libraries.
  std::int64_t integer(std::int64_t low, std::int64_t high);
  RandomExpression expression(int levels);
  MaskScope scope();
  IndexRange range(std::int64_t longest);

 private:
  RandomExpression leaf();
  RandomExpression unary(int levels);
  RandomExpression binary(int levels);
  RandomExpression conditional(int levels);

  std::mt19937 engine_;
};

}  // namespace flashscope::expression
