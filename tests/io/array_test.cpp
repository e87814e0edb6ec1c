// Sizes, strides and texts of arrays.
#include "sim/io/array.h"

#include <limits>

#include <doctest/doctest.h>

using namespace flashscope::io;
using Shape = std::vector<std::int64_t>;

TEST_CASE("strides count elements, the last axis fastest in C order and slowest in Fortran order") {
  CHECK(row_major_strides(Shape{2, 3, 4}) == Shape{12, 4, 1});
  CHECK(column_major_strides(Shape{2, 3, 4}) == Shape{1, 2, 6});
  CHECK(row_major_strides(Shape{}).empty());
  CHECK(row_major_strides(Shape{2, 0, 4}) == Shape{4, 4, 1});
}

TEST_CASE("byte_count knows empty arrays and scalars, and refuses what 63 bits can't hold") {
  const std::int64_t huge = std::int64_t{1} << 40;
  CHECK(byte_count(ElementType::f64, Shape{}) == 8);
  CHECK(byte_count(ElementType::bf16, Shape{2, 3}) == 12);
  CHECK(byte_count(ElementType::e4m3, Shape{5, 0}) == 0);
  CHECK_FALSE(byte_count(ElementType::f32, Shape{huge, huge}));
  CHECK_FALSE(byte_count(ElementType::f32, Shape{0, huge, huge}));
  CHECK_FALSE(byte_count(ElementType::f32, Shape{-1}));
  CHECK_FALSE(byte_count(ElementType::f32, Shape{std::numeric_limits<std::int64_t>::max() / 2}));
}

TEST_CASE("a shape is written as in Python") {
  CHECK(shape_text(Shape{}) == "()");
  CHECK(shape_text(Shape{4}) == "(4,)");
  CHECK(shape_text(Shape{2, 3}) == "(2, 3)");
}
