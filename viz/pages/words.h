// Text as HTML and its scripts take it.
#pragma once

#include <string>
#include <string_view>

namespace flashscope::pages {

// Text as HTML shows it: & < > and both quotes are escaped, so that it may stand in an attribute,
// too. Bytes that are not UTF-8, and control characters that HTML forbids, become U+FFFD.
std::string escaped(std::string_view text);

// JSON that may stand inside a script element: "</script" can't occur in it.
std::string escaped_json(std::string_view json);

}  // namespace flashscope::pages
