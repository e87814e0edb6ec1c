// Lines of code with what each piece of them is, so that a panel can colour them: .alg tables and
// the CUDA kernels. Light on purpose: words are looked up, nothing is parsed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/attention/algorithm.h"

namespace flashscope::views {

enum class Ink : std::uint8_t {
  plain,
  comment,
  keyword,
  number,
  tensor,  // the name of a tensor or tile: Theme::tensor() has its colour
  marker,  // `//> …` in a kernel
};

struct Span {
  std::size_t begin = 0, end = 0;  // bytes of the line
  Ink ink = Ink::plain;
  friend bool operator==(const Span&, const Span&) = default;
};

struct CodeLine {
  std::string text;         // without its end, tabs as they are
  std::vector<Span> spans;  // ascending; together all bytes that are no space between two words
};

// Without line ends; a last line that ends in '\n' is not followed by an empty one.
std::vector<std::string_view> lines_of(std::string_view text);

// `buffers`: whose names are tensors.
std::vector<CodeLine> table_lines(std::string_view text, std::span<const Buffer> buffers);
std::vector<CodeLine> cpp_lines(std::string_view text);

// Code points, which is how many columns a fixed-width font gives the text.
int columns_of(std::string_view text);

}  // namespace flashscope::views
