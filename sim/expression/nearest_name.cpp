// See nearest_name.h.
#include "sim/expression/nearest_name.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace flashscope {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // distances of a's prefix to every prefix of b
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

bool is_alike(std::string_view typed, std::string_view name) {
  return 2 * edit_distance(typed, name) <= typed.size();
}

std::string nearest_name(const std::string& word, const std::vector<std::string>& names) {
  const auto nearest = std::min_element(names.begin(), names.end(), [&](auto& a, auto& b) {
    return edit_distance(word, a) < edit_distance(word, b);
  });
  if (nearest != names.end() && is_alike(word, *nearest)) {
    return fmt::format("did you mean '{}'?", *nearest);
  }
  std::vector<std::string> unique = names;
  std::sort(unique.begin(), unique.end());
  unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
  return fmt::format("known: {}", fmt::join(unique, ", "));
}

}  // namespace flashscope
