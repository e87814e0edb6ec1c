// Prose as HTML; see prose_html.h.
#include "viz/pages/prose_html.h"

#include <algorithm>

#include <fmt/format.h>

#include "viz/pages/words.h"

namespace flashscope::pages {
namespace {

using lessons::Span;
using lessons::TextBlock;

// Other schemes may run something; a relative path leads nowhere from a page that was mailed.
bool is_web_link(std::string_view target) {
  return target.starts_with("https://") || target.starts_with("http://");
}

std::string with_breaks(const std::string& text) {
  std::string html = escaped(text);
  for (std::size_t at = 0; (at = html.find('\n', at)) != std::string::npos; at += 4) {
    html.replace(at, 1, "<br>");
  }
  return html;
}

std::string table_html(const TextBlock& block) {
  std::string html = "<div class=\"scroll\"><table class=\"prose-table\">";
  for (std::size_t r = 0; r < block.rows.size(); ++r) {
    html += r == 0 ? "<thead><tr>" : r == 1 ? "</thead><tbody><tr>" : "<tr>";
    for (const TextBlock::Cell& cell : block.rows[r]) {
      html += fmt::format("<{}{}>{}</{}>", r == 0 ? "th scope=\"col\"" : "td",
                          cell.right_aligned ? " class=\"right\"" : "", text_html(cell.text),
                          r == 0 ? "th" : "td");
    }
    html += "</tr>";
  }
  if (!block.rows.empty()) html += block.rows.size() == 1 ? "</thead>" : "</tbody>";
  return html + "</table></div>\n";
}

}  // namespace

std::string text_html(const lessons::Text& text) {
  std::string html;
  for (const Span& span : text) {
    const std::string inside = with_breaks(span.text);
    switch (span.style) {
      case Span::Style::plain:
        html += inside;
        break;
      case Span::Style::emphasis:
        html += "<em>" + inside + "</em>";
        break;
      case Span::Style::strong:
        html += "<strong>" + inside + "</strong>";
        break;
      case Span::Style::code:
        html += "<code>" + inside + "</code>";
        break;
      case Span::Style::link:
        html += is_web_link(span.target)
                    ? fmt::format("<a href=\"{}\" rel=\"noopener noreferrer\">{}</a>",
                                  escaped(span.target), inside)
                    : inside;
        break;
    }
  }
  return html;
}

std::string title_html(std::string_view title) { return text_html(lessons::parse_inline(title)); }

std::string plain_title(std::string_view title) {
  return lessons::plain_text(lessons::parse_inline(title));
}

std::string ProseWriter::unique_id(std::string_view text) {
  std::string id;
  for (const char c : text) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      id += c;
    } else if (c >= 'A' && c <= 'Z') {
      id += static_cast<char>(c - 'A' + 'a');
    } else if (!id.empty() && id.back() != '-') {
      id += '-';
    }
  }
  while (!id.empty() && id.back() == '-') id.pop_back();
  if (id.empty()) id = "part";
  std::string tried = id;
  for (int n = 2; !ids_.insert(tried).second; ++n) tried = fmt::format("{}-{}", id, n);
  return tried;
}

std::string ProseWriter::heading(const TextBlock& block) {
  if (block.level == 1 && !title_seen_) {
    title_seen_ = true;
    return "";
  }
  // 6 is the deepest that HTML has, and a player has one below its title.
  last_level_ = std::clamp(block.level, 2, std::min(last_level_ + 1, 4));
  const std::string id = unique_id(lessons::plain_text(block.text));
  headings_.push_back({id, text_html(block.text), last_level_});
  return fmt::format("<h{0} id=\"{1}\">{2}</h{0}>\n", last_level_, id, headings_.back().html);
}

// Items with their depths as lists in lists.
std::string ProseWriter::list(std::span<const TextBlock> items) {
  std::string html;
  std::vector<const char*> open;  // the tags of the lists that are open, outermost first
  const auto close_one = [&] {
    html += fmt::format("</li></{}>", open.back());
    open.pop_back();
  };
  for (const TextBlock& item : items) {
    if (item.label.empty() && !open.empty()) {
      // It goes on with the item before it.
      html += "<p>" + text_html(item.text) + "</p>";
      continue;
    }
    const bool numbered =
        !item.label.empty() && item.label.front() >= '0' && item.label.front() <= '9';
    const char* tag = numbered ? "ol" : "ul";
    const auto depth = static_cast<std::size_t>(std::max(item.level, 1));
    while (open.size() > depth) close_one();
    // Another kind of list at the same depth is another list.
    if (open.size() == depth && std::string_view(open.back()) != tag) close_one();
    if (open.size() == depth) {
      html += "</li>";
    } else {
      while (open.size() + 1 < depth) {
        html += "<ul><li>";
        open.push_back("ul");
      }
      const int first = numbered ? std::atoi(item.label.c_str()) : 1;
      html += first == 1 ? fmt::format("<{}>", tag) : fmt::format("<ol start=\"{}\">", first);
      open.push_back(tag);
    }
    html += "<li>" + text_html(item.text);
  }
  while (!open.empty()) close_one();
  return html + "\n";
}

std::string ProseWriter::html(std::span<const TextBlock> blocks) {
  std::string html;
  for (std::size_t n = 0; n < blocks.size(); ++n) {
    const TextBlock& block = blocks[n];
    switch (block.kind) {
      case TextBlock::Kind::heading:
        html += heading(block);
        break;
      case TextBlock::Kind::paragraph:
        html += "<p>" + text_html(block.text) + "</p>\n";
        break;
      case TextBlock::Kind::quote:
        html += "<blockquote><p>" + text_html(block.text) + "</p></blockquote>\n";
        break;
      case TextBlock::Kind::code:
        html +=
            "<pre class=\"block\" tabindex=\"0\"><code>" + escaped(block.code) + "</code></pre>\n";
        break;
      case TextBlock::Kind::table:
        html += table_html(block);
        break;
      case TextBlock::Kind::rule:
        html += "<hr>\n";
        break;
      case TextBlock::Kind::item: {
        std::size_t end = n;
        while (end < blocks.size() && blocks[end].kind == TextBlock::Kind::item) ++end;
        html += list(blocks.subspan(n, end - n));
        n = end - 1;
        break;
      }
    }
  }
  return html;
}

}  // namespace flashscope::pages
