// A lesson as its file says it: prose, and between it blocks that are carried out. Nothing is
// computed here. README.md beside this folder describes the file format for authors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lessons/engine/markdown.h"
#include "sim/setup/problem_options.h"

namespace flashscope::lessons {

// A text of the lesson file that is looked at later, with its place for messages.
struct Sourced {
  std::string text;
  int line = 0;  // of the lesson file, from 1
};

struct Prose {
  std::vector<TextBlock> blocks;
};

// A line of a built-in table, replaced; an empty `to` takes it out.
struct TableEdit {
  Sourced line;  // how its statement begins
  std::string to;
};

// Options, and what goes beyond them. Names no files: a lesson reads nothing but itself.
struct ScenarioChange {
  ProblemOptions options;
  std::vector<std::string> given;  // the options said, as on the command line: "--q-len"
  std::vector<TableEdit> edits;
  int table_line = 0;  // of the first line of a table that the lesson writes; or 0
  std::string record;  // "h200": the measured record that .measured_… facts come from; or empty
};

// Makes a scenario known by its name; the one that `opens` becomes what stops, quizzes, expects and
// tasks look at ("here").
struct ScenarioBlock {
  Sourced name;
  bool opens = true;
  bool again = false;  // nothing but a known name was said: back to that scenario
  ScenarioChange change;
};

// A place between two ops. Searched for from the lesson's previous place on, and once round.
struct Place {
  int line = 0;                                 // of the lesson file
  std::optional<std::int64_t> op;               // exactly this position
  std::optional<std::int64_t> q_tile, kv_tile;  // in this step (of this head)
  std::optional<std::int64_t> head, batch, split;
  std::optional<Sourced> after, before;  // a line of the table has, or has not, executed
  std::optional<Sourced> when;           // the first place where this holds
  bool end = false;                      // behind the last op
  bool somewhere() const {
    return op || q_tile || kv_tile || head || batch || split || after || before || when || end;
  }
};

// The panels of the window that a stop may bring to front, by their titles.
inline constexpr std::array kPanelNames = {
    "Memory hierarchy", "Tile map", "Tile",        "Softmax state", "Program", "CUDA kernel",
    "Controls",         "Traffic",  "SRAM budget", "Compare",       "Console"};

struct StopBlock {
  std::string title;
  Place place;
  // Which executed ops a reader is shown in words, up to the stop: only the last one, those of its
  // step, all since the previous stop, or none.
  enum class Walk : std::uint8_t { line, step, since, none };
  Walk walk = Walk::line;
  std::vector<std::int64_t> rows;   // query rows to look at; empty: chosen
  std::vector<Sourced> print;       // expressions to show with their values
  std::vector<std::string> panels;  // of the window, to bring to front
  std::string tile;                 // buffer for the Tile panel; or empty
};

// Shows a number, or says whether a statement holds. `text` and `why` are inline Markdown as
// written: parse_inline() has their spans.
struct QuizOption {
  Sourced expression;  // value of a number; condition of a statement
  std::string text;    // of a statement
  std::string why;     // shown to whoever chose it
  bool right = false;  // a number's: the `answer`; a statement's: found by its condition
};

enum class Unit : std::uint8_t { none, bytes, binary_bytes, times, percent, microseconds };

struct QuizBlock {
  int line = 0;
  Text question;
  Place place;  // where the answer is evaluated; nowhere: where the lesson stands
  bool statements = false;
  std::vector<QuizOption> options;  // of numbers: the answer first
  Unit unit = Unit::none;
  int digits = 4;  // significant ones shown; 0: whole numbers, all digits
  Text why;        // shown when answered
};

// A fact that the prose before it states.
struct ExpectBlock {
  int line = 0;
  Place place;
  std::optional<Sourced> holds;     // a condition, or
  std::optional<Sourced> says, is;  // a number in the prose, and the expression that it is
};

// The reader changes settings, the table or the position until a condition holds.
struct TaskBlock {
  int line = 0;
  Text text;
  Sourced until;
  Text hint, why;  // why: shown when done
  // For the check, and for `show --answers`: what solves it.
  ScenarioChange solution;
  Place solution_place;
};

struct FigureSeries {
  std::string label;
  Sourced value;
};

struct FigureBlock {
  enum class Kind : std::uint8_t {
    bars,    // numbers, or one number over the values of an option
    steps,   // expressions behind each step of a q tile
    tiles,   // classes of the score tiles of a head
    budget,  // what a tiling takes on chip
    table,   // the .alg text
    kernel,  // the CUDA source of an algorithm, and which lines do a line of the table
  };
  int line = 0;
  Kind kind = Kind::bars;
  std::string title;
  std::string of;  // a scenario's name; empty: here
  std::vector<FigureSeries> series;
  Unit unit = Unit::none;
  bool logarithmic = false;
  std::optional<Sourced> sweep;     // an option's name, such as "q-len"
  std::vector<std::string> values;  // that it takes
  std::int64_t q_tile = 0, head = 0;
  std::string from, to;  // table: first and last line shown (how they begin); kernel: the line
};

using Block =
    std::variant<Prose, ScenarioBlock, StopBlock, QuizBlock, ExpectBlock, TaskBlock, FigureBlock>;

struct Lesson {
  int number = 0;           // from the file's name; 0: it has none
  std::string name, title;  // "online-softmax"; of the first heading
  std::string file;         // for messages
  int minutes = 0;
  std::string about;               // one sentence
  std::vector<int> needs;          // numbers of lessons to know
  std::vector<std::string> given;  // figures in the prose that sources state, not the simulator
  std::vector<Block> blocks;       // in reading order
  std::vector<TextBlock> teacher;  // the section "For the teacher"
  std::string source;              // the whole file
};

// Throws Error "FILE:LINE: reason" for broken TOML, unknown keys, missing or contradictory ones.
// Expressions, names of scenarios and places are checked by check.h.
Lesson parse_lesson(std::string source, const std::string& file);

}  // namespace flashscope::lessons
