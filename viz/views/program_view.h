// The .alg table of a program as it is read while the program runs: which line is which statement,
// which of them executes next, which do not apply to the present step, where breakpoints are.
// Left out: the arithmetic of an op (viz/views/formula.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/debugger/debugger.h"
#include "viz/views/code_text.h"

namespace flashscope::views {

// One line of the text. Lines are counted from 1; line n is element n - 1 of a list.
struct TableLine {
  int statement = -1;  // index into Algorithm::lines; -1 where nothing executes
  int phase = -1;      // of a statement
  Part part = Part::before;
  std::string why_no_breakpoint;  // where there is no statement: "a comment: nothing executes here"
};

// What depends on the table alone.
struct TableView {
  std::vector<CodeLine> code;
  std::vector<TableLine> lines;  // as many
};
TableView table_view(const Algorithm& algorithm);

struct LineState {
  std::string why_not;           // not empty: the statement does not execute at this step
  bool never = false;            // nor at any other step of this program
  std::vector<int> breakpoints;  // indices into Debugger::breakpoints()
};

// What depends on the position and on the breakpoints.
struct ProgramView {
  int current = 0;                // the line that executes next; 0 at the end
  std::vector<LineState> states;  // one per line
};
ProgramView program_view(const Debugger& debugger, const TableView& table);

// The form that a statement was read as: what it means, and its pattern.
const Form& form_of(const Line& line, const Algorithm& algorithm);

// "registers, q_tile x kv_tile, fp32 (score)".
std::string describe(const Buffer& buffer, const Program& program);

// "break 27 if m[0] > 3: hit 2 times", "watch l: switched off".
std::string describe(const Breakpoint& breakpoint);

}  // namespace flashscope::views
