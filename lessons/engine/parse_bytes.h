// Whether bytes are text that may be shown on any terminal.
#pragma once

#include <cstddef>
#include <string_view>

namespace flashscope::lessons {

// Where the first byte is that begins no character of UTF-8, or a control character other than a
// tab, "\n" or "\r\n"; text.size() when all is text.
std::size_t first_non_text(std::string_view text);

}  // namespace flashscope::lessons
