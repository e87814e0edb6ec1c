// See table_edit.h.
#include "viz/views/table_edit.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include <fmt/format.h>

#include "sim/attention/alg_parser.h"
#include "sim/error.h"
#include "viz/views/code_text.h"

namespace flashscope::views {
namespace {

constexpr const char* kWhere = "table";
constexpr std::size_t kLargestComparison = 4'000'000;  // pairs of lines

// "table:12:5: what" in its parts.
TableMistake split(std::string_view message) {
  TableMistake mistake{0, 0, std::string(message)};
  const std::string prefix = std::string(kWhere) + ":";
  if (!message.starts_with(prefix)) return mistake;
  message.remove_prefix(prefix.size());
  int numbers[2] = {};
  for (int& number : numbers) {
    const auto [end, code] =
        std::from_chars(message.data(), message.data() + message.size(), number);
    const auto length = static_cast<std::size_t>(end - message.data());
    if (code != std::errc() || length >= message.size() || message[length] != ':') return mistake;
    message.remove_prefix(length + 1);
  }
  if (message.starts_with(' ')) message.remove_prefix(1);
  return {numbers[0], numbers[1], std::string(message)};
}

std::vector<std::string_view> trimmed_lines(std::string_view text) {
  std::vector<std::string_view> lines = lines_of(text);
  for (std::string_view& line : lines) {
    while (line.ends_with(' ') || line.ends_with('\r')) line.remove_suffix(1);
  }
  return lines;
}

using Lines = std::vector<std::string_view>;

// For every new line the old one that it is, or -1: a longest common subsequence.
std::vector<int> partners(const Lines& from, const Lines& to) {
  std::vector<int> result(to.size(), -1);
  std::size_t begin = 0, from_end = from.size(), to_end = to.size();
  for (; begin < from_end && begin < to_end && from[begin] == to[begin]; ++begin) {
    result[begin] = static_cast<int>(begin);
  }
  while (from_end > begin && to_end > begin && from[from_end - 1] == to[to_end - 1]) {
    result[--to_end] = static_cast<int>(--from_end);
  }
  const std::size_t rows = from_end - begin, columns = to_end - begin;
  if (rows * columns == 0 || rows * columns > kLargestComparison) return result;
  // length[r][c]: of the longest common part of what is left from these lines on.
  std::vector<std::int32_t> length((rows + 1) * (columns + 1), 0);
  const auto at = [&](std::size_t r, std::size_t c) -> std::int32_t& {
    return length[r * (columns + 1) + c];
  };
  for (std::size_t r = rows; r-- > 0;) {
    for (std::size_t c = columns; c-- > 0;) {
      at(r, c) = from[begin + r] == to[begin + c] ? at(r + 1, c + 1) + 1
                                                  : std::max(at(r + 1, c), at(r, c + 1));
    }
  }
  for (std::size_t r = 0, c = 0; r < rows && c < columns;) {
    if (from[begin + r] == to[begin + c]) {
      result[begin + c++] = static_cast<int>(begin + r++);
    } else if (at(r + 1, c) >= at(r, c + 1)) {
      ++r;
    } else {
      ++c;
    }
  }
  return result;
}

std::string list_of(const std::vector<int>& numbers) {
  constexpr std::size_t kMost = 6;
  std::string text;
  const std::size_t shown = std::min(numbers.size(), kMost);
  for (std::size_t n = 0; n < shown; ++n) {
    const bool last = n + 1 == numbers.size();
    text += fmt::format("{}{}", n == 0 ? "" : (last ? " and " : ", "), numbers[n]);
  }
  return numbers.size() > kMost ? fmt::format("{}, … ({} lines)", text, numbers.size()) : text;
}

}  // namespace

TableMistake check_table(const std::string& text, const std::function<void(Algorithm)>& make) {
  try {
    make(parse_algorithm(text, kWhere));
    return {};
  } catch (const Error& error) {
    return split(error.what());
  }
}

TableChanges table_changes(std::string_view old_text, std::string_view new_text) {
  const Lines from = trimmed_lines(old_text), to = trimmed_lines(new_text);
  const std::vector<int> partner = partners(from, to);
  TableChanges changes;
  int next_old = 0, fresh = 0;  // new lines since the last that has a partner
  const auto close = [&](int old_line, int new_line) {
    const int gone = old_line - next_old;
    changes.removed_lines += std::max(0, gone - fresh);
    // What is there instead is marked already.
    if (gone > 0 && fresh == 0) changes.removed.push_back(new_line);
    next_old = old_line + 1;
    fresh = 0;
  };
  for (std::size_t n = 0; n < to.size(); ++n) {
    if (partner[n] < 0) {
      changes.lines.push_back(static_cast<int>(n) + 1);
      ++fresh;
    } else {
      close(partner[n], static_cast<int>(n));
    }
  }
  close(static_cast<int>(from.size()), static_cast<int>(to.size()));
  return changes;
}

std::string describe(const TableChanges& changes, std::string_view old_name) {
  std::string text;
  if (!changes.lines.empty()) {
    const bool one = changes.lines.size() == 1;
    text = fmt::format("line{} {} differ{} from {}", one ? "" : "s", list_of(changes.lines),
                       one ? "s" : "", old_name);
  }
  if (changes.removed_lines > 0) {
    const bool one = changes.removed_lines == 1;
    text +=
        fmt::format("{}{} line{} of {} {} gone", text.empty() ? "" : ", ", changes.removed_lines,
                    one ? "" : "s", text.empty() ? old_name : "it", one ? "is" : "are");
  }
  return text.empty() ? fmt::format("the same as {}", old_name) : text;
}

}  // namespace flashscope::views
