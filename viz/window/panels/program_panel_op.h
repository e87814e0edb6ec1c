// The op that executes next, in words and numbers: where it is, what it means, and its formula with
// the numbers of one row put in. The strip below the table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "viz/views/formula.h"
#include "viz/window/panel.h"

namespace flashscope::window {

struct OpText {
  std::string place;                   // "work item 0: q tile 0, kv tile 1 (keys 2-3), full"
  std::string progress;                // "op 17 of 44"
  std::string statement, meaning;      // empty at the end
  std::vector<views::Change> changes;  // what the op will do to the row
};

// The row: the first selected one that the op's q tile holds, else the tile's first.
OpText op_text(const Context& context);

// "The running sum after this tile" of a form's meaning.
std::string sentence(std::string_view meaning);

// Values are left out when the numbers are hidden.
void draw_changes(const std::vector<views::Change>& changes, bool hidden, const Theme& theme);
void draw_op_strip(const OpText& text, bool hidden, const Theme& theme);

}  // namespace flashscope::window
