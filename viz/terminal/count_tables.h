// Tables of simulated traffic, shared by `count`, `run` and the tour.
#pragma once

#include <optional>
#include <vector>

#include "sim/attention/program.h"
#include "sim/machine/count.h"

namespace flashscope::terminal {

struct CountRow {
  const Program* program = nullptr;
  Count count;
  std::optional<std::int64_t> closed_form;  // total bytes by formula
};

CountRow count_row(const Program& program);

// The whole report: a line per algorithm, and for a single one also a line per tensor.
void print_counts(const Problem& problem, const std::vector<CountRow>& rows);

}  // namespace flashscope::terminal
