// What to suggest for a mistyped word. The one place that measures how alike two words are; it
// knows nothing about what the words name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace flashscope {

// Levenshtein distance: the fewest letters to insert, remove or replace.
std::size_t edit_distance(std::string_view a, std::string_view b);

// May b be what was meant by a? When at most half of the letters typed have to change.
bool is_alike(std::string_view typed, std::string_view name);

// "did you mean 'x'?" for the nearest name (the first of several), or "known: a, b" (sorted, each
// once) when none is alike.
std::string nearest_name(const std::string& word, const std::vector<std::string>& names);

}  // namespace flashscope
