// Whether bytes are text.
#pragma once

#include <cstddef>
#include <string_view>

namespace flashscope::lessons {

// Where the first byte is that begins no UTF-8 character; text.size() when there is none.
std::size_t first_invalid_utf8(std::string_view text);

}  // namespace flashscope::lessons
