// The arithmetic of one op in words: for every number that changed, the line's formula with the
// operands substituted, as one would write it on paper: l[0] = e^(1-3)*1.368 + 1.368 = 1.553.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "viz/views/walker.h"

namespace flashscope::views {

struct Change {
  std::string target;   // l[0], S[0,3]
  std::string formula;  // e^(1-3)*1.368 + 1.368; empty when there is nothing to compute
  std::string value;    // 1.553
};

class Formulas {
 public:
  Formulas(const Program& program, const Interpreter& interpreter)
      : program_(program), interpreter_(interpreter) {}

  // Rows and keys are numbered as in the whole head. Tiles wider than a few columns give one change
  // a row, with the first values. Must be called for every op shown, in order: factors such as
  // alpha are remembered, to be written as e^(…) where they are used.
  std::vector<Change> changes(const WalkEvent& event);

 private:
  struct Place {                       // an element of the result tile, or a whole row of it
    std::int64_t row = 0, column = 0;  // on the tile
    std::string target;
  };
  std::string element_formula(const WalkEvent& event, const Place& place) const;
  std::string row_formula(const WalkEvent& event, const Place& place) const;
  std::string vector_formula(const WalkEvent& event, const Place& place) const;
  std::string factor(int buffer, std::int64_t row) const;
  void remember_factors(const WalkEvent& event);
  std::vector<Change> masked(const WalkEvent& event) const;
  std::vector<Change> copied_keys(const WalkEvent& event) const;
  float at(int buffer, std::int64_t row, std::int64_t column = 0) const {
    return interpreter_.tile(buffer).at(row, column);
  }
  const Buffer& buffer(int index) const {
    return program_.algorithm().buffers[static_cast<std::size_t>(index)];
  }
  std::int64_t columns_of(const Buffer& buffer, const Segment& segment) const;  // in bounds
  std::int64_t first_column(const Buffer& buffer, const Segment& segment) const;

  const Program& program_;
  const Interpreter& interpreter_;
  std::map<std::pair<int, std::int64_t>, std::string> factors_;  // (buffer, tile row) -> e^(…)
};

}  // namespace flashscope::views
