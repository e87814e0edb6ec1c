// See toml_reader.h.
#include "lessons/engine/toml_reader.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lessons/engine/parse_bytes.h"
#include "sim/expression/nearest_name.h"
#include "sim/io/message_text.h"

namespace flashscope::lessons {
namespace {

constexpr std::size_t kMostElements = 64;  // of an array: more is a mistake, and nobody reads it

// What may have several lines: tables, and what is Markdown of a paragraph. All else stands in
// one line of a terminal, and in messages.
bool may_have_lines(std::string_view key) {
  static constexpr std::string_view kKeys[] = {"table", "to", "question", "text", "hint", "why"};
  return std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys);
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

std::string_view type_name(const TomlValue& value) {
  static constexpr std::string_view kNames[] = {
      "a date or time", "true or false", "an integer", "a number", "a text", "an array", "a table"};
  return kNames[value.value.index()];
}

TomlReader::TomlReader(const TomlTable& table, std::string what, int line, const std::string& file,
                       const Keys& keys)
    : table_(&table), what_(std::move(what)), line_(line), file_(file) {
  for (const TomlEntry& entry : table) {
    if (std::find(keys.begin(), keys.end(), entry.key) != keys.end()) continue;
    fail(entry.line, fmt::format("{} has no key {}; {}", what_, io::quoted_name(entry.key),
                                 nearest_name(entry.key, keys)));
  }
}

void TomlReader::fail(int line, std::string_view reason) const { fail_at(file_, line, reason); }

const TomlValue* TomlReader::find(std::string_view key) const {
  const auto entry = std::find_if(table_->begin(), table_->end(),
                                  [&](const TomlEntry& each) { return each.key == key; });
  return entry == table_->end() ? nullptr : &entry->value;
}

int TomlReader::line_of(std::string_view key) const { return find(key)->line; }

void TomlReader::exclude(std::initializer_list<std::string_view> keys) const {
  const TomlEntry* first = nullptr;
  for (const TomlEntry& entry : *table_) {
    if (std::find(keys.begin(), keys.end(), entry.key) == keys.end()) continue;
    if (first) {
      fail(entry.line,
           fmt::format("{}: '{}' and '{}' exclude each other", what_, first->key, entry.key));
    }
    first = &entry;
  }
}

void TomlReader::require_one_of(std::initializer_list<std::string_view> keys) const {
  for (const std::string_view key : keys) {
    if (has(key)) return;
  }
  fail(fmt::format("{} needs '{}'", what_, fmt::join(keys, "' or '")));
}

void TomlReader::wrong_type(std::string_view key, const TomlValue& value,
                            std::string_view wanted) const {
  fail(value.line,
       fmt::format("{}: '{}' must be {}, not {}", what_, key, wanted, type_name(value)));
}

Sourced TomlReader::text_of(std::string_view key, const TomlValue& value) const {
  Sourced text = any_text_of(key, value);
  if (is_blank(text.text)) fail(value.line, fmt::format("{}: '{}' is empty", what_, key));
  return text;
}

Sourced TomlReader::any_text_of(std::string_view key, const TomlValue& value) const {
  const auto* text = std::get_if<std::string>(&value.value);
  if (!text) wrong_type(key, value, "a text");
  if (first_non_text(*text) < text->size()) {
    fail(value.line, fmt::format("{}: '{}' holds a control character", what_, key));
  }
  if (!may_have_lines(key) && text->find_first_of("\n\r\t") != std::string::npos) {
    fail(value.line, fmt::format("{}: '{}' is one line: no tab or line break", what_, key));
  }
  return {*text, value.line};
}

std::optional<Sourced> TomlReader::text(std::string_view key) const {
  const TomlValue* value = find(key);
  if (!value) return {};
  return text_of(key, *value);
}

Sourced TomlReader::required_text(std::string_view key) const {
  require(key);
  return *text(key);
}

std::string TomlReader::text_or(std::string_view key, std::string_view other) const {
  const auto found = text(key);
  return found ? found->text : std::string(other);
}

std::string TomlReader::text_or_empty(std::string_view key) const {
  require(key);
  return any_text_of(key, *find(key)).text;
}

Text TomlReader::markdown(std::string_view key) const { return parse_inline(text_or(key, "")); }

std::size_t TomlReader::choice(std::string_view key,
                               const std::vector<std::string>& choices) const {
  const auto chosen = text(key);
  if (!chosen) return 0;
  const auto found = std::find(choices.begin(), choices.end(), chosen->text);
  if (found == choices.end()) {
    fail(chosen->line, fmt::format("{}: '{}' must be one of {}, not {}", what_, key,
                                   fmt::join(choices, ", "), io::quoted_name(chosen->text)));
  }
  return static_cast<std::size_t>(found - choices.begin());
}

bool TomlReader::flag(std::string_view key) const {
  const TomlValue* value = find(key);
  if (!value) return false;
  const bool* flag = std::get_if<bool>(&value->value);
  if (!flag) wrong_type(key, *value, "true or false");
  return *flag;
}

std::int64_t TomlReader::integer_of(std::string_view key, const TomlValue& value,
                                    std::int64_t least, std::int64_t most) const {
  const auto* integer = std::get_if<std::int64_t>(&value.value);
  if (!integer) wrong_type(key, value, "an integer");
  if (*integer < least || *integer > most) {
    const bool bounded = most < std::numeric_limits<std::int64_t>::max();
    fail(value.line, fmt::format("{}: '{}' is {}, but must be {}", what_, key, *integer,
                                 bounded ? fmt::format("{} to {}", least, most)
                                         : fmt::format("at least {}", least)));
  }
  return *integer;
}

std::optional<std::int64_t> TomlReader::integer(std::string_view key, std::int64_t least,
                                                std::int64_t most) const {
  const TomlValue* value = find(key);
  if (!value) return {};
  return integer_of(key, *value, least, most);
}

double TomlReader::number(std::string_view key) const {
  const TomlValue& value = *find(key);
  if (const auto* integer = std::get_if<std::int64_t>(&value.value)) {
    return static_cast<double>(*integer);
  }
  const auto* number = std::get_if<double>(&value.value);
  if (!number) wrong_type(key, value, "a number");
  return *number;
}

const TomlArray& TomlReader::array(std::string_view key, const TomlValue& value,
                                   std::string_view elements) const {
  const auto* array = std::get_if<TomlArray>(&value.value);
  if (!array) wrong_type(key, value, fmt::format("an array of {}", elements));
  if (array->size() > kMostElements) {
    fail(value.line, fmt::format("{}: '{}' has {} entries; at most {} fit", what_, key,
                                 array->size(), kMostElements));
  }
  return *array;
}

std::vector<Sourced> TomlReader::texts(std::string_view key) const {
  std::vector<Sourced> result;
  const TomlValue* value = find(key);
  if (!value) return result;
  for (const TomlValue& element : array(key, *value, "texts")) {
    result.push_back(text_of(key, element));
  }
  return result;
}

std::vector<std::int64_t> TomlReader::integers(std::string_view key, std::int64_t least,
                                               std::int64_t most) const {
  std::vector<std::int64_t> result;
  const TomlValue* value = find(key);
  if (!value) return result;
  for (const TomlValue& element : array(key, *value, "integers")) {
    result.push_back(integer_of(key, element, least, most));
  }
  return result;
}

std::vector<TomlReader> TomlReader::tables(std::string_view key, const std::string& what,
                                           const Keys& keys) const {
  std::vector<TomlReader> result;
  const TomlValue* value = find(key);
  if (!value) return result;
  const TomlArray& elements = array(key, *value, "tables");
  if (elements.empty()) fail(value->line, fmt::format("{}: '{}' is empty", what_, key));
  for (const TomlValue& element : elements) {
    const auto* table = std::get_if<TomlTable>(&element.value);
    if (!table) wrong_type(key, element, "an array of tables");
    result.emplace_back(*table, what, element.line, file_, keys);
  }
  return result;
}

std::optional<TomlReader> TomlReader::table(std::string_view key, std::string what,
                                            const Keys& keys) const {
  const TomlValue* value = find(key);
  if (!value) return {};
  const auto* table = std::get_if<TomlTable>(&value->value);
  if (!table) wrong_type(key, *value, "a table");
  return TomlReader(*table, std::move(what), value->line, file_, keys);
}

}  // namespace flashscope::lessons
