// The CUDA kernels beside the tables they follow. A kernel marks what it implements with comments
// `//> text of the table's line`, which an explanation may follow after a colon. Which lines of
// code belong to a marker:
//
//   - Markers that follow each other directly share their lines.
//   - Candidates are the whole C++ statements after the marker, up to the next marker, an empty
//     line, the end of the block, or a statement in which another marker stands (a loop around it).
//   - Of these, the first belongs to it (an early `if (…) return;` is not counted as one), and so
//   do
//     those that use a name which one of its own has declared; and what lies between them.
//
// So bookkeeping that comes after (barriers, commits of copies, traces) stays out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/attention/algorithm.h"
#include "viz/views/code_text.h"

namespace flashscope::views {

// Lines [begin, end), counted from 1.
struct LineRange {
  int begin = 0, end = 0;
  bool contains(int line) const { return line >= begin && line < end; }
  friend bool operator==(const LineRange&, const LineRange&) = default;
};

struct KernelMarker {
  int line = 0;        // where it stands
  std::string text;    // what stands behind `//> `
  int function = 0;    // the kernel of the file that it stands in, which is the table's phase
  LineRange code;      // what implements it
  int statement = -1;  // index into Algorithm::lines
};

struct KernelView {
  std::string file;     // "gpu/kernels/fa2.cuh"; empty when there is no kernel of this name
  std::string caution;  // when it is not this very table that the kernel implements: why
  std::vector<CodeLine> code;
  std::vector<KernelMarker> markers;   // ascending
  std::vector<std::string> functions;  // names of its __global__ functions, one a phase

  // Those of a line of the table. Empty: the kernel does not have it.
  std::vector<const KernelMarker*> markers_of(int statement) const;
};

// The kernel of the algorithm's name. A statement's markers are looked for in the function of its
// phase; when a text occurs several times in both, the n-th is the n-th.
KernelView kernel_view(const Algorithm& algorithm);

// A kernel's file, without a table to tie it to (statements are -1).
KernelView parse_kernel(std::string_view text);

// Why a kernel has nothing for a line, as far as one can know.
std::string why_no_code(const Line& line, const KernelView& kernel);

}  // namespace flashscope::views
