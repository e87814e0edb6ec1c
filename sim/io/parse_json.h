// JSON that a stranger wrote, as text: parsed, but not deeper than any of ours goes, for what
// copies, prints and destroys a value calls itself for every level.
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

namespace flashscope::io {

// The document, or a discarded value where the JSON is broken or nested more than 64 levels deep.
nlohmann::ordered_json parse_json(std::string_view text);

}  // namespace flashscope::io
