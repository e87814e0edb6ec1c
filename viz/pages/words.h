// Words and numbers of a page that several parts of it use.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/attention/program.h"

namespace flashscope::pages {

// "3", "4-7"; empty for no index.
std::string range_text(IndexRange range);
// "0-3, 8"; ranges that follow each other are written as one.
std::string ranges_text(std::vector<IndexRange> ranges);

// "q tile 0, kv tile 1 (keys 2-3), full"
std::string place_text(const Program& program, const Segment& segment);

// "1.375 0.5058 …": at most so many of the values.
std::string first_values(std::span<const double> values, std::size_t most);

// Text as HTML shows it: & < > and both quotes are escaped, so that it may stand in an attribute,
// too. Bytes that are not UTF-8, and control characters that HTML forbids, become U+FFFD.
std::string escaped(std::string_view text);

// JSON that may stand inside a script element: "</script" can't occur in it.
std::string escaped_json(std::string_view json);

}  // namespace flashscope::pages
