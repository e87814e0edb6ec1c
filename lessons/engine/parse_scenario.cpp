// [scenario], [scenarios], and the problem options in them; see parse_blocks.h.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "lessons/engine/parse_blocks.h"
#include "sim/attention/algorithm.h"
#include "sim/expression/nearest_name.h"
#include "sim/io/message_text.h"

namespace flashscope::lessons {
namespace {

constexpr std::array<std::string_view, 6> kFileOptions = {"q",       "k",      "v",
                                                          "tensors", "prefix", "layout"};
constexpr std::string_view kMachineOption = "threads";
constexpr std::string_view kHere = "here";  // the open scenario; no name of one's own

bool is_file_option(std::string_view key) {
  return std::find(kFileOptions.begin(), kFileOptions.end(), key) != kFileOptions.end();
}

std::string_view key_of(const ProblemOption& option) {
  return std::string_view(option.name).substr(2);
}

// Sets one member from the value that the table has for it.
struct OptionSetter {
  const TomlReader& reader;
  std::string_view key;
  ProblemOptions& options;

  void operator()(bool ProblemOptions::*member) const { options.*member = reader.flag(key); }
  void operator()(int ProblemOptions::*member) const {
    options.*member = static_cast<int>(*reader.integer(key, 0, std::numeric_limits<int>::max()));
  }
  void operator()(std::string ProblemOptions::*member) const {
    options.*member = reader.required_text(key).text;
  }
  void operator()(std::optional<std::string> ProblemOptions::*member) const {
    options.*member = reader.required_text(key).text;
  }
  void operator()(std::optional<std::int64_t> ProblemOptions::*member) const {
    options.*member = reader.integer(key, std::numeric_limits<std::int64_t>::min(), kNoLimit);
  }
  void operator()(std::optional<std::uint64_t> ProblemOptions::*member) const {
    options.*member = static_cast<std::uint64_t>(*reader.integer(key, 0, kNoLimit));
  }
  void operator()(std::optional<double> ProblemOptions::*member) const {
    options.*member = reader.number(key);
  }
};

void require_built_in(const TomlReader& reader, const std::string& algorithm) {
  const std::vector<std::string> names = built_in_algorithm_names();
  if (std::find(names.begin(), names.end(), algorithm) != names.end()) return;
  reader.fail(
      reader.line_of("algorithm"),
      fmt::format("{}: algorithm {} is not built in, and a lesson opens no files: put its "
                  "text into 'table'; {}",
                  reader.what(), io::quoted_name(algorithm), nearest_name(algorithm, names)));
}

bool is_identifier(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9');
  });
}

// Expressions write NAME.fact.
void check_name(const Sourced& name, const std::string& file) {
  if (name.text == kHere)
    fail_at(file, name.line, "'here' is always the open scenario; name it otherwise");
  if (is_identifier(name.text)) return;
  fail_at(file, name.line,
          fmt::format("{} is no name for a scenario: use letters, digits and _, a letter first",
                      io::quoted_name(name.text)));
}

// What a scenario may say besides its name.
Keys change_keys() { return joined(scenario_option_keys(), {"table", "edit", "record"}); }

ScenarioChange read_change(const TomlReader& reader) {
  reader.exclude({"table", "edit"});
  ScenarioChange change = read_options(reader);
  change.edits = read_edits(reader);
  change.record = reader.text_or("record", "");
  return change;
}

}  // namespace

const Keys& scenario_option_keys() {
  static const Keys kKeys = [] {
    Keys keys;
    for (const ProblemOption& option : problem_option_list()) {
      const std::string_view key = key_of(option);
      if (!is_file_option(key) && key != kMachineOption) keys.emplace_back(key);
    }
    return keys;
  }();
  return kKeys;
}

void refuse_options(const TomlTable& table, const std::string& what, const std::string& file) {
  for (const TomlEntry& entry : table) {
    if (is_file_option(entry.key)) {
      fail_at(
          file, entry.line,
          fmt::format("{}: '{}' is about a file, and a lesson opens no files", what, entry.key));
    }
    if (entry.key == kMachineOption) {
      fail_at(file, entry.line,
              fmt::format("{}: '{}' belongs to a machine, not to a lesson", what, entry.key));
    }
  }
}

ScenarioChange read_options(const TomlReader& reader) {
  reader.exclude({"table", "algorithm"});
  ScenarioChange change;
  for (const ProblemOption& option : problem_option_list()) {
    const std::string_view key = key_of(option);
    if (!reader.has(key)) continue;
    std::visit(OptionSetter{reader, key, change.options}, option.member);
    change.given.emplace_back(option.name);
  }
  if (reader.has("algorithm")) require_built_in(reader, change.options.algorithm);
  if (const auto table = reader.text("table")) {
    change.options.table = table->text;
    // A line break right behind the quotes is none of the text.
    const bool below = table->text.find('\n') != std::string::npos;
    change.table_line = table->line + (below ? 1 : 0);
  }
  return change;
}

std::vector<TableEdit> read_edits(const TomlReader& reader) {
  std::vector<TableEdit> edits;
  for (const TomlReader& edit : reader.tables("edit", reader.what() + "'s edit", {"line", "to"})) {
    edits.push_back({edit.required_text("line"), edit.text_or_empty("to")});
  }
  return edits;
}

ScenarioBlock parse_scenario(const TableSource& source) {
  refuse_options(source.table, "scenario", source.file);
  const TomlReader reader(source.table, "scenario", source.line, source.file,
                          joined({"name"}, change_keys()));
  ScenarioBlock block;
  block.name = reader.required_text("name");
  check_name(block.name, source.file);
  block.again = source.table.size() == 1;
  block.change = read_change(reader);
  return block;
}

std::vector<ScenarioBlock> parse_scenarios(const TableSource& source) {
  std::vector<ScenarioBlock> blocks;
  if (source.table.empty()) {
    fail_at(source.file, source.line, "scenarios is empty: write NAME = { q-len = 4096 }");
  }
  for (const TomlEntry& entry : source.table) {
    ScenarioBlock block;
    block.name = {entry.key, entry.line};
    check_name(block.name, source.file);
    const std::string what = fmt::format("scenario '{}'", entry.key);
    const auto* table = std::get_if<TomlTable>(&entry.value.value);
    if (!table) {
      fail_at(source.file, entry.value.line,
              fmt::format("{} must be a table, not {}: write {} = {{ q-len = 4096 }}", what,
                          type_name(entry.value), entry.key));
    }
    refuse_options(*table, what, source.file);
    block.opens = false;
    block.change = read_change(TomlReader(*table, what, entry.line, source.file, change_keys()));
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace flashscope::lessons
