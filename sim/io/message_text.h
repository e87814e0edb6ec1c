// Text from outside made fit for a one-line message: names and paths may hold anything, and a
// control character must not reach a terminal or a log. Translation and wrapping are left out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace flashscope::io {

// Control characters (ASCII and the C1 range of UTF-8) and backslashes become \xNN; the rest stays.
std::string printable(std::string_view text);

// printable() within single quotes, cut after 60 bytes.
std::string quoted_name(std::string_view text);

// At most 8 names, quoted and separated by commas, then how many more there are; "nothing" for
// none.
std::string name_list(std::span<const std::string> names);

// "shape (2, 3)", or only "30 dimensions" when there are more than 8.
std::string describe_shape(std::span<const std::int64_t> shape);

}  // namespace flashscope::io
