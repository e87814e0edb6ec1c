// TOML as plain data that knows its lines. The parsing is toml++'s, which only parse_toml.cpp
// includes: its header compiles slowly. Dates and times are left out: no key of a lesson takes one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace flashscope::lessons {

struct TomlEntry;
struct TomlValue;
using TomlArray = std::vector<TomlValue>;
using TomlTable = std::vector<TomlEntry>;  // in the order of the text

struct TomlValue {
  int line = 0;  // of the lesson file
  // monostate: a date or time.
  std::variant<std::monostate, bool, std::int64_t, double, std::string, TomlArray, TomlTable> value;
};

struct TomlEntry {
  std::string key;
  int line = 0;
  TomlValue value;
};

// Throws Error "FILE:LINE: reason"; `first_line` is that of the text's first line.
TomlTable parse_toml(std::string_view text, const std::string& file, int first_line);

// Throws Error "FILE:LINE: reason". `file` may hold anything, `reason` is one printable line.
[[noreturn]] void fail_at(const std::string& file, int line, std::string_view reason);

}  // namespace flashscope::lessons
