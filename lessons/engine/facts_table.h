// Lines of an .alg table by how they begin: what an author writes to name one. Blanks count once,
// comments not at all.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/engine/lesson.h"

namespace flashscope::lessons {

struct TableLine {
  int number = 0;         // in the text, from 1
  std::string statement;  // without its condition
  std::string condition;  // "when not full", or empty
  std::string text() const { return condition.empty() ? statement : statement + " " + condition; }
};

// Every line of a table that is no comment.
std::vector<TableLine> table_lines(std::string_view table);

// Indices of the lines that begin with `begin`: those that are exactly it, else those that go on.
// Several only when they read the same. Throws Error when none does, with the nearest one, or when
// they differ.
std::vector<std::size_t> lines_beginning(std::string_view begin, std::span<const TableLine> lines);

// Replaces lines in a table's text. A new line keeps the old one's indent, and its condition unless
// it has its own. Throws Error when an edit's line is none or several.
std::string edited_table(std::string table, std::span<const TableEdit> edits);

}  // namespace flashscope::lessons
