// Finding and replacing lines of a table; see facts_table.h.
#include "lessons/engine/facts_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/expression/nearest_name.h"
#include "sim/setup/parse_values.h"

namespace flashscope::lessons {
namespace {

constexpr std::string_view kWhen = "when ";

// Without a comment, with single blanks.
std::string plain(std::string_view line) {
  std::string result;
  for (const char c : line.substr(0, line.find('#'))) {
    const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (!blank) {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  if (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

TableLine split(int number, std::string text) {
  TableLine line{number, std::move(text), ""};
  const std::size_t found = line.statement.rfind(fmt::format(" {}", kWhen));
  if (found != std::string::npos) {
    line.condition = line.statement.substr(found + 1);
    line.statement.resize(found);
  }
  return line;
}

// The line whose beginning is most like what was written.
const TableLine& nearest_line(std::string_view begin, std::span<const TableLine> lines) {
  const auto distance = [&](const TableLine& line) {
    const std::string text = line.text();
    return edit_distance(begin, std::string_view(text).substr(0, begin.size()));
  };
  return *std::min_element(lines.begin(), lines.end(), [&](const TableLine& a, const TableLine& b) {
    return distance(a) < distance(b);
  });
}

std::string indent_of(std::string_view line) {
  return std::string(line.substr(0, std::min(line.find_first_not_of(' '), line.size())));
}

// What stands in an edited line's place, which may be several lines or none.
std::vector<std::string> replacement(const TableEdit& edit, std::string_view old_line,
                                     const TableLine& old) {
  std::vector<std::string> lines;
  for (const std::string& written : split_list(edit.to, '\n')) {
    TableLine line = split(0, plain(written));
    if (line.statement.empty()) continue;
    if (line.condition.empty()) line.condition = old.condition;
    lines.push_back(indent_of(old_line) + line.text());
  }
  return lines;
}

}  // namespace

std::vector<TableLine> table_lines(std::string_view table) {
  std::vector<TableLine> lines;
  int number = 0;
  for (const std::string& line : split_list(table, '\n')) {
    ++number;
    std::string text = plain(line);
    if (!text.empty()) lines.push_back(split(number, std::move(text)));
  }
  return lines;
}

std::vector<std::size_t> lines_beginning(std::string_view begin, std::span<const TableLine> lines) {
  const std::string wanted = plain(begin);
  if (wanted.empty()) throw Error("no line is named: write how it begins");
  if (lines.empty()) throw Error("the table has no lines");
  std::vector<std::size_t> exact, longer;
  for (std::size_t n = 0; n < lines.size(); ++n) {
    if (lines[n].statement == wanted || lines[n].text() == wanted) {
      exact.push_back(n);
    } else if (lines[n].text().starts_with(wanted)) {
      longer.push_back(n);
    }
  }
  const std::vector<std::size_t>& found = exact.empty() ? longer : exact;
  if (found.empty()) {
    throw Error(fmt::format("no line of the table begins with '{}'; the nearest is '{}'", wanted,
                            nearest_line(wanted, lines).text()));
  }
  for (const std::size_t n : found) {
    if (lines[n].statement == lines[found[0]].statement) continue;
    throw Error(fmt::format("several lines of the table begin with '{}': '{}' and '{}'; write more",
                            wanted, lines[found[0]].statement, lines[n].statement));
  }
  return found;
}

std::string edited_table(std::string table, std::span<const TableEdit> edits) {
  for (const TableEdit& edit : edits) {
    const std::vector<TableLine> lines = table_lines(table);
    const std::vector<std::size_t> found = lines_beginning(edit.line.text, lines);
    if (found.size() > 1) {
      throw Error(fmt::format("'{}' stands in lines {} and {} of the table; an edit changes one",
                              lines[found[0]].text(), lines[found[0]].number,
                              lines[found[1]].number));
    }
    const TableLine& old = lines[found[0]];
    std::vector<std::string> texts = split_list(table, '\n');
    const auto place = texts.begin() + (old.number - 1);
    const std::vector<std::string> to = replacement(edit, *place, old);
    texts.insert(texts.erase(place), to.begin(), to.end());
    table = fmt::format("{}", fmt::join(texts, "\n"));
  }
  return table;
}

}  // namespace flashscope::lessons
