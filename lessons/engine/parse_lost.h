// Blocks that a damaged fence would show to readers instead of carrying them out.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lessons/engine/markdown.h"

namespace flashscope::lessons {

// `blocks`: those of the whole source. Throws Error "FILE:LINE: reason" where the header of a
// lesson's table, such as [stop], or a ```toml fence stands in prose or in code of another label
// than `text`, and for a label that is nearly toml.
void refuse_lost_blocks(std::string_view source, std::span<const TextBlock> blocks,
                        const std::string& file);

// The tables of a lesson.
std::span<const std::string> table_names();

}  // namespace flashscope::lessons
