// Errors that point into the text of an expression. Only words and layout live here.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "sim/error.h"

namespace flashscope::expression {

// The message, then the text (a part of it when it is long), then a caret under text[position].
// Bytes that are not printable ASCII are shown as '?', so that no terminal sequence gets through.
Error error_at(std::string_view text, std::size_t position, const std::string& message);

// "unknown name 'qlen'; did you mean 'q_len'? known: b, h, …" for what = "name".
// A suggestion is made when at most half of the letters typed have to change.
std::string unknown_message(std::string_view what, std::string_view name,
                            std::span<const std::string_view> known);

}  // namespace flashscope::expression
