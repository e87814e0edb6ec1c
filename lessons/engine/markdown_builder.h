// From the callbacks of a Markdown parser, md4c, to a flat list of blocks.
#pragma once

#include <cstddef>
#include <md4c.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lessons/engine/markdown.h"

namespace flashscope::lessons {

// Line numbers of pointers into a text.
class LineIndex {
 public:
  LineIndex(std::string_view text, int first_line);
  // Nothing for a pointer to elsewhere: md4c passes texts of its own for line breaks and indents.
  std::optional<int> line_of(const char* at) const;

 private:
  std::string_view text_;
  int first_line_;
  std::vector<std::size_t> begins_;  // of the lines but the first one
};

// md4c fills up every row of a table to the columns of its header: a small file could fill the
// memory.
inline constexpr std::size_t kMostCells = 20'000;

class MarkdownBuilder {
 public:
  MarkdownBuilder(std::string_view text, int first_line)
      : lines_(text, first_line), line_(first_line) {}

  void enter(MD_BLOCKTYPE type, void* detail);
  void leave(MD_BLOCKTYPE type);
  void enter(MD_SPANTYPE type, void* detail);
  void leave_span() {
    // md4c leaves one too many where links overlap: ![i](j[k[ )]](j).
    if (!spans_.empty()) spans_.pop_back();
  }
  void text(MD_TEXTTYPE type, std::string_view text);
  bool has_too_many_cells() const { return cells_ > kMostCells; }
  std::vector<TextBlock> take() { return std::move(blocks_); }

 private:
  struct List {
    std::string bullet;  // empty: numbered
    unsigned next = 1;
    char delimiter = '.';
  };
  struct Container {
    bool is_quote = false;
    std::string label;  // of an item that has no block yet
  };

  TextBlock& open(TextBlock::Kind kind);
  void close() { is_open_ = false; }
  void open_text_block();
  void show_label();
  void begin_code(const MD_BLOCK_CODE_DETAIL& detail);
  void note_line(const char* at);
  void append(std::string_view text);

  LineIndex lines_;
  int line_;  // of the last text seen
  std::vector<TextBlock> blocks_;
  std::size_t cells_ = 0;   // of all tables
  bool is_open_ = false;    // text goes on in the last block
  bool has_line_ = false;   // the last block's line is known
  bool is_fenced_ = false;  // the last block, code
  std::vector<List> lists_;
  std::vector<Container> containers_;
  std::vector<Span> spans_;  // styles around the text, outermost first
};

}  // namespace flashscope::lessons
