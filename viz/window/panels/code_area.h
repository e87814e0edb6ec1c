// Lines of code in a scrolling area with a margin: what the program and the kernel panel share.
// Long lines wrap, so that nothing is cut off in a narrow panel; the area follows a line unless the
// user scrolls away. Left out: what the lines mean, which the panels say by LineLook.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "viz/views/code_text.h"
#include "viz/window/panels/code_margin.h"

namespace flashscope::window {

class CodeArea {
 public:
  // `squeezes`: spaces between words may shrink to two before lines are wrapped.
  explicit CodeArea(bool squeezes) : squeezes_(squeezes) {}

  // What the mouse points at. Lines are counted from 1.
  struct Event {
    int line = 0;  // 0: none
    bool in_margin = false;
    bool clicked = false;
    bool wants_tooltip = false;
    std::string_view tensor;  // under the mouse; of the code given
  };

  // `version`: another number when `code` is another text. `follow`: the lines [first, second) to
  // keep in view, if any.
  Event draw(const char* id, ImVec2 size, const std::vector<views::CodeLine>& code,
             std::uint64_t version, std::pair<int, int> follow, const Theme& theme,
             const std::function<LineLook(int)>& look);

  bool follows() const { return follows_; }
  void set_follows(bool on) { follows_ = on; }

 private:
  struct Piece {
    std::size_t begin = 0, end = 0;  // of the line's text
    views::Ink ink = views::Ink::plain;
    int column = 0;
  };
  struct Row {
    int line = 0;  // from 0
    std::size_t first_piece = 0, end_piece = 0;
  };
  void lay_out(const std::vector<views::CodeLine>& code, int columns);
  void lay_out_line(const views::CodeLine& code, int line, int columns);
  void keep_in_view(std::pair<int, int> lines, float row_height);
  void draw_row(const Row& row, const views::CodeLine& code, ImVec2 at, float advance,
                const LineLook& look, const Theme& theme) const;
  std::string_view tensor_at(const views::CodeLine& code, std::size_t line, ImVec2 corner,
                             float row_height, float advance) const;

  bool squeezes_, squeezed_ = false;
  bool follows_ = true;
  std::vector<Piece> pieces_;
  std::vector<Row> rows_;
  std::vector<std::size_t> first_row_;  // of each line, and the number of rows
  std::uint64_t version_ = 0;
  int columns_ = 0;
  float last_scroll_ = 0, last_range_ = 0;
  bool scrolling_ = false;  // SetScrollY() was called in the last frame
};

}  // namespace flashscope::window
