// Prose of a lesson as HTML. Everything is escaped; links go to the web or are left as text.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/engine/markdown.h"

namespace flashscope::pages {

std::string text_html(const lessons::Text& text);

// A title or a label as an author writes it, which is inline Markdown: as HTML, and as plain text.
std::string title_html(std::string_view title);
std::string plain_title(std::string_view title);

// Blocks one after the other, with what a page has to keep in mind between them: ids are unique,
// and no heading is more than one level below the one before it.
class ProseWriter {
 public:
  struct Heading {
    std::string id, html;
    int level = 2;
  };

  // The first heading of level 1 is left out: it is the page's title.
  std::string html(std::span<const lessons::TextBlock> blocks);

  const std::vector<Heading>& headings() const { return headings_; }
  // The level that a heading right below the last one has.
  int next_level() const { return last_level_ + 1; }

 private:
  std::string unique_id(std::string_view text);  // "the-maximum-moves", of letters, digits and -
  std::string heading(const lessons::TextBlock& block);
  std::string list(std::span<const lessons::TextBlock> items);

  std::vector<Heading> headings_;
  std::set<std::string> ids_;
  int last_level_ = 1;
  bool title_seen_ = false;
};

}  // namespace flashscope::pages
