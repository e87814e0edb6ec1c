// Whether bytes are text that may be shown on any terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace flashscope::lessons {

// Where the first byte is that begins no character of UTF-8, a control character other than a tab,
// "\n" or "\r\n", or a hidden one (see below); text.size() when all is text.
std::size_t first_non_text(std::string_view text);

// Characters that are not seen but turn the direction of the text around them, or break the line
// (U+202E and its like, U+2028): they make a text read otherwise than it is.
bool is_hidden(std::uint32_t code);
bool begins_hidden(std::string_view text);

}  // namespace flashscope::lessons
