// From one table of a lesson's toml blocks to what it describes. Each throws Error "FILE:LINE:
// reason" for whatever is missing, contradictory or out of range.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "lessons/engine/lesson.h"
#include "lessons/engine/toml_reader.h"

namespace flashscope::lessons {

inline constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

// A table with its place: [stop] in line 12 of the lesson.
struct TableSource {
  const TomlTable& table;
  int line = 0;
  const std::string& file;
};

// [lesson]: fills in what it says about the whole.
void parse_header(const TableSource& source, Lesson& lesson);

ScenarioBlock parse_scenario(const TableSource& source);
std::vector<ScenarioBlock> parse_scenarios(const TableSource& source);
StopBlock parse_stop(const TableSource& source);
QuizBlock parse_quiz(const TableSource& source);
ExpectBlock parse_expect(const TableSource& source);
TaskBlock parse_task(const TableSource& source);
FigureBlock parse_figure(const TableSource& source);

// Parts that several of them share.

// The problem options that a lesson may set, without the dashes: all but those that open files, and
// those of the machine.
const Keys& scenario_option_keys();
// Those and `table`; the reader must know all of them. Refuses tables that are not built in.
ScenarioChange read_options(const TomlReader& reader);
// TomlReader's own check names an option that a lesson may not set as unknown; this says why.
void refuse_options(const TomlTable& table, const std::string& what, const std::string& file);
// `edit`; none when the key is not there.
std::vector<TableEdit> read_edits(const TomlReader& reader);

const Keys& place_keys();
Place read_place(const TomlReader& reader);
Place read_place_at(const TomlReader& reader);  // of `at = { … }`: nowhere when it is not there
Unit read_unit(const TomlReader& reader);

Keys joined(const Keys& a, const Keys& b);

}  // namespace flashscope::lessons
