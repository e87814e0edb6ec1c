// The .alg table as a text that can be changed while it runs: read at every keystroke, and run as
// soon as it is right and nobody has typed for a moment. A wrong text changes nothing but says
// where it is wrong.
#pragma once

#include <string>
#include <vector>

#include "viz/views/code_text.h"
#include "viz/views/table_edit.h"
#include "viz/window/panel.h"

namespace flashscope::window {

// The text that the options' algorithm has without a table of the user's and without a fault; empty
// when its file can't be read any more.
std::string original_table(const ProblemOptions& options);

class TableEditor {
 public:
  bool is_open() const { return open_; }
  // With the running table's text, or with what was left here unfinished; the text cursor is put
  // into line `current`.
  void open(const Context& context, int current);
  void close() { open_ = false; }
  // Whether the text is another than the running table's.
  bool has_changes() const { return open_ && text_ != running_; }
  // The original text, at once.
  void revert(const Context& context, Requests& requests);
  // `current`: the line of the running table that executes next; 0: none.
  void draw(const Context& context, Requests& requests, int current, ImVec2 size);
  // Whether the text is right, and what of it runs.
  void draw_status(const Context& context) const;

 private:
  void set_text(const Context& context, std::string text);
  void check(const Context& context);
  void follow_running_table(const Context& context);
  void edit_text(const Theme& theme, ImVec2 size);
  void draw_code(const Theme& theme, int current, ImVec2 origin) const;
  void keep_cursor_in_view(float advance, float margin) const;

  bool open_ = false;
  int arriving_ = 0;  // frames since it was opened in which the cursor is looked for
  std::string text_;
  std::string running_;  // the session's table, as last seen
  std::string sent_;     // the text that was last asked for
  std::vector<views::CodeLine> code_;
  views::TableMistake mistake_;
  views::TableChanges changes_;
  bool waits_ = false;  // right, and not asked for yet
  double typed_at_ = 0;
  int cursor_ = 0;           // bytes before it
  bool put_cursor_ = false;  // there, once the field is active
  bool cursor_moved_ = false;
};

}  // namespace flashscope::window
