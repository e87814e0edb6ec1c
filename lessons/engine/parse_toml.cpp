// See parse_toml.h.
#include "lessons/engine/parse_toml.h"

#include <algorithm>
#include <cstddef>
#include <toml++/toml.h>

#include <fmt/format.h>

#include "lessons/engine/message.h"
#include "sim/error.h"
#include "sim/io/message_text.h"

namespace flashscope::lessons {
namespace {

// toml++ frees nested tables by recursion, and each dot of a key is a table more.
constexpr std::ptrdiff_t kMostDots = 2000;

// From toml++'s tree, whose tables are sorted by key, to ours.
class Converter {
 public:
  explicit Converter(int first_line) : offset_(first_line - 1) {}

  TomlTable table(const toml::table& from) const {
    std::vector<std::pair<toml::source_position, TomlEntry>> entries;
    for (auto&& [key, node] : from) {
      const toml::source_position at = key.source().begin;
      entries.push_back({at, {std::string(key.str()), line_of(key.source()), value(node)}});
    }
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    TomlTable result;
    for (auto& entry : entries) result.push_back(std::move(entry.second));
    return result;
  }

 private:
  int line_of(const toml::source_region& region) const {
    return static_cast<int>(region.begin.line) + offset_;
  }

  TomlValue value(const toml::node& node) const {
    TomlValue result{line_of(node.source()), {}};
    if (const auto* flag = node.as_boolean()) result.value = flag->get();
    if (const auto* integer = node.as_integer()) result.value = integer->get();
    if (const auto* number = node.as_floating_point()) result.value = number->get();
    if (const auto* text = node.as_string()) result.value = text->get();
    if (const auto* entries = node.as_table()) result.value = table(*entries);
    if (const auto* array = node.as_array()) {
      TomlArray elements;
      for (const toml::node& element : *array) elements.push_back(value(element));
      result.value = std::move(elements);
    }
    return result;
  }

  int offset_;
};

}  // namespace

void fail_at(const std::string& file, int line, std::string_view reason) {
  throw Error(fmt::format("{}:{}: {}", io::printable(file), line, one_line(reason)));
}

TomlTable parse_toml(std::string_view text, const std::string& file, int first_line) {
  if (std::count(text.begin(), text.end(), '.') > kMostDots) {
    fail_at(file, first_line, fmt::format("more than {} dots in one toml block", kMostDots));
  }
  try {
    return Converter(first_line).table(toml::parse(text));
  } catch (const toml::parse_error& error) {
    const int line = first_line - 1 + static_cast<int>(error.source().begin.line);
    fail_at(file, line, fmt::format("TOML: {}", io::printable(error.description())));
  }
}

}  // namespace flashscope::lessons
