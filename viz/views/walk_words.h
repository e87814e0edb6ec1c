// Where an op of a walk stands, in words: the same in the terminal, in the window and on a page.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/attention/program.h"

namespace flashscope::views {

// "3", "4-7"; empty for no index.
std::string range_text(IndexRange range);
// "0-3, 8"; ranges that follow each other are written as one.
std::string ranges_text(std::vector<IndexRange> ranges);

// "q tile 0, kv tile 1 (keys 2-3), full"
std::string place_text(const Program& program, const Segment& segment);

// "1.375 0.5058 …": at most so many of the values.
std::string first_values(std::span<const double> values, std::size_t most);

}  // namespace flashscope::views
