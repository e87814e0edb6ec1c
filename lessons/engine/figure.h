// Figures of a lesson as plain data, computed from its scenarios; front ends draw them.
#pragma once

#include <string>
#include <vector>

#include "lessons/engine/stage.h"
#include "sim/attention/tile_map.h"

namespace flashscope::lessons {

struct Figure {
  FigureBlock::Kind kind = FigureBlock::Kind::bars;
  std::string title;
  std::string alt;  // the figure in words, for whoever can't see it

  // bars, budget: groups of bars (one bar each but for several series); steps: a line per series.
  std::vector<std::string> labels;              // of the groups; steps: "keys 0-1"
  std::vector<std::string> series;              // their names
  std::vector<std::vector<double>> values;      // (series, group)
  std::vector<std::vector<std::string>> texts;  // the same, formatted
  bool logarithmic = false;
  double limit = 0;  // budget: the SRAM there is; else 0
  std::string limit_text;

  // tiles: (q tiles, kv tiles).
  std::vector<std::vector<TileClass>> tiles;

  // table, kernel: lines of code with their numbers; marked ones are what it is about.
  struct CodeLine {
    int number = 0;
    std::string text;
    bool marked = false;
  };
  std::vector<CodeLine> code;  // kernel: empty; a front end fills it in from `kernel`
  std::string kernel;          // algorithm
  std::string kernel_line;     // of the table
};

// Throws LessonError, when it would have more than 64 bars, 64 x 64 tiles or 200 steps, too.
Figure make_figure(const FigureBlock& block, Stage& stage);

}  // namespace flashscope::lessons
