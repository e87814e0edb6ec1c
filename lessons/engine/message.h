// What a lesson's mistakes have in common as text: one printable line that is not too long.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flashscope::lessons {

// A message as one line: "reason\n  EXPRESSION\n   ^" becomes "reason: EXPRESSION (at column 2)",
// other line breaks become blanks, control characters \xNN. Cut behind 400 bytes.
std::string one_line(std::string_view message);

// The same without EXPRESSION, for who has named it: "reason (at column 2)".
std::string one_line_without(std::string_view message, std::string_view expression);

// "did you mean 'x'?", or the names there are; of many only the nearest ones.
std::string suggestion(const std::string& word, const std::vector<std::string>& names);

}  // namespace flashscope::lessons
