// See walk_words.h.
#include "viz/views/walk_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/io/number_text.h"

namespace flashscope::views {

std::string range_text(IndexRange range) {
  if (range.empty()) return "";
  return range.size() == 1 ? std::to_string(range.begin)
                           : fmt::format("{}-{}", range.begin, range.end - 1);
}

std::string ranges_text(std::vector<IndexRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const IndexRange& a, const IndexRange& b) { return a.begin < b.begin; });
  std::vector<IndexRange> joined;
  for (const IndexRange& range : ranges) {
    if (!joined.empty() && joined.back().end == range.begin) {
      joined.back().end = range.end;
    } else {
      joined.push_back(range);
    }
  }
  std::string text;
  for (const IndexRange& range : joined) text += (text.empty() ? "" : ", ") + range_text(range);
  return text;
}

std::string place_text(const Program& program, const Segment& segment) {
  const auto& phases = program.algorithm().phases;
  // A phase's name tells something only beside others.
  std::string text = phases.size() > 1 ? phases[static_cast<std::size_t>(segment.phase)].name : "";
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (segment.q_row >= 0) {
    add(fmt::format("row {}", segment.q_row));
  } else if (segment.q_tile >= 0) {
    add(fmt::format("q tile {}", segment.q_tile));
    if (segment.kv_tile < 0) {
      text += fmt::format(" (rows {})", range_text(program.q_rows(segment)));
    }
  }
  if (segment.split >= 0) add(fmt::format("split {}", segment.split));
  if (segment.kv_tile >= 0) {
    add(fmt::format("kv tile {} (keys {})", segment.kv_tile, range_text(program.kv_rows(segment))));
    if (segment.part == Part::step) add(std::string(name_of(segment.kind.tile_class)));
  }
  return segment.part == Part::after ? text + ", after the loop" : text;
}

std::string first_values(std::span<const double> values, std::size_t most) {
  std::string text;
  const std::size_t count = std::min(values.size(), most);
  for (std::size_t n = 0; n < count; ++n) {
    if (n > 0) text += ' ';
    text += io::short_number(values[n]);
  }
  return values.size() > count ? text + " …" : text;
}

}  // namespace flashscope::views
