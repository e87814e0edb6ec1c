// Typed access to one table of a lesson. Every mistake in it (a key that is not known, a wrong
// type, an empty text, a number out of range) is an Error "FILE:LINE: reason".
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/engine/lesson.h"
#include "lessons/engine/parse_toml.h"

namespace flashscope::lessons {

using Keys = std::vector<std::string>;

// "a text", "an integer", …: for messages.
std::string_view type_name(const TomlValue& value);

class TomlReader {
 public:
  // `what` the table is, for messages: "stop", "wrong answer". Refuses keys that are not among
  // `keys`; only those may be asked for.
  TomlReader(const TomlTable& table, std::string what, int line, const std::string& file,
             const Keys& keys);

  int line() const { return line_; }
  const std::string& file() const { return file_; }
  const std::string& what() const { return what_; }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  int line_of(std::string_view key) const;  // of a key that is there
  [[noreturn]] void fail(std::string_view reason) const { fail(line_, reason); }
  [[noreturn]] void fail(int line, std::string_view reason) const;

  // At most one of the keys is there. At least one.
  void exclude(std::initializer_list<std::string_view> keys) const;
  void require_one_of(std::initializer_list<std::string_view> keys) const;
  void require(std::string_view key) const { require_one_of({key}); }

  // Texts hold no control characters, and those of one line no line break. Texts are never empty,
  // but for `text_or_empty`, which needs the key to be there.
  std::optional<Sourced> text(std::string_view key) const;
  Sourced required_text(std::string_view key) const;
  std::string text_or(std::string_view key, std::string_view other) const;
  std::string text_or_empty(std::string_view key) const;
  Text markdown(std::string_view key) const;  // empty when the key is not there
  // The index of the text among `choices`, the first one when the key is not there.
  std::size_t choice(std::string_view key, const std::vector<std::string>& choices) const;
  bool flag(std::string_view key) const;  // false when the key is not there
  std::optional<std::int64_t> integer(std::string_view key, std::int64_t least,
                                      std::int64_t most) const;
  double number(std::string_view key) const;  // of a key that is there; an integer is one too

  // Arrays have at most 64 elements; none when the key is not there.
  std::vector<Sourced> texts(std::string_view key) const;
  std::vector<std::int64_t> integers(std::string_view key, std::int64_t least,
                                     std::int64_t most) const;
  // Each element (one at least), or the one table, with keys of its own.
  std::vector<TomlReader> tables(std::string_view key, const std::string& what,
                                 const Keys& keys) const;
  std::optional<TomlReader> table(std::string_view key, std::string what, const Keys& keys) const;

  // For keys of a type of their own.
  Sourced text_of(std::string_view key, const TomlValue& value) const;
  const TomlValue* find(std::string_view key) const;  // null when it is not there
  [[noreturn]] void wrong_type(std::string_view key, const TomlValue& value,
                               std::string_view wanted) const;

 private:
  const TomlArray& array(std::string_view key, const TomlValue& value,
                         std::string_view elements) const;
  Sourced any_text_of(std::string_view key, const TomlValue& value) const;
  std::int64_t integer_of(std::string_view key, const TomlValue& value, std::int64_t least,
                          std::int64_t most) const;

  const TomlTable* table_;
  std::string what_;
  int line_;
  std::string file_;
};

}  // namespace flashscope::lessons
