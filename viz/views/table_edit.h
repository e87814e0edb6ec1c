// An .alg table while it is being edited: whether it is right, where it is not, and in which lines
// it differs from the table that it began as.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/attention/algorithm.h"

namespace flashscope::views {

// Why a table can't run.
struct TableMistake {
  int line = 0, column = 0;  // 1-based; 0: of the table as a whole
  std::string message;       // one line, empty when the table is right
  explicit operator bool() const { return !message.empty(); }
};

// Reads the text, and tries to make of it what `make` makes (a Program of the present problem),
// which may throw Error.
TableMistake check_table(const std::string& text, const std::function<void(Algorithm)>& make);

struct TableChanges {
  std::vector<int> lines;  // of the edited text, 1-based: changed or new
  std::vector<int>
      removed;            // lines of the edited text (0: its beginning) after which some are gone
  int removed_lines = 0;  // of the old text, beyond those that changed
  bool none() const { return lines.empty() && removed.empty(); }
};

// Blanks at the ends of lines make no difference.
TableChanges table_changes(std::string_view old_text, std::string_view new_text);

// "lines 3 and 27 differ from fa2, 1 line of it is gone".
std::string describe(const TableChanges& changes, std::string_view old_name);

}  // namespace flashscope::views
