// md4c's callbacks, and texts of one paragraph; see markdown.h.
#include "lessons/engine/markdown.h"

#include <algorithm>
#include <iterator>
#include <md4c.h>
#include <utility>

#include "lessons/engine/markdown_builder.h"

namespace flashscope::lessons {
namespace {

MarkdownBuilder& builder(void* user) { return *static_cast<MarkdownBuilder*>(user); }

MD_PARSER parser_callbacks(unsigned flags) {
  MD_PARSER parser = {};
  parser.flags = flags;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* user) {
    builder(user).enter(type, detail);
    return builder(user).has_too_many_cells() ? 1 : 0;  // 1 ends the parsing
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void*, void* user) {
    builder(user).leave(type);
    return 0;
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* user) {
    builder(user).enter(type, detail);
    return 0;
  };
  parser.leave_span = [](MD_SPANTYPE, void*, void* user) {
    builder(user).leave_span();
    return 0;
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* user) {
    builder(user).text(type, {text, size});
    return 0;
  };
  return parser;
}

}  // namespace

std::vector<TextBlock> parse_markdown(std::string_view text, int first_line) {
  for (const unsigned tables : {unsigned{MD_FLAG_TABLES}, 0u}) {
    const MD_PARSER parser = parser_callbacks(MD_FLAG_NOHTML | tables);
    MarkdownBuilder builder(text, first_line);
    md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, &builder);
    if (!builder.has_too_many_cells()) return builder.take();
  }
  return {};  // not reached: without tables there are no cells
}

Text parse_inline(std::string_view text) {
  Text result;
  std::string paragraph = "# ";  // only a heading begins with nothing that means something else
  const auto finish = [&] {
    if (paragraph.size() > 2) {
      // A heading drops the # signs that end it.
      if (paragraph.ends_with('#')) paragraph.insert(paragraph.size() - 1, "\\");
      if (!result.empty()) result.push_back({Span::Style::plain, "\n", {}});
      for (TextBlock& block : parse_markdown(paragraph)) {
        std::move(block.text.begin(), block.text.end(), std::back_inserter(result));
      }
    }
    paragraph = "# ";
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.find_first_not_of(" \t") == std::string_view::npos) {
      finish();
    } else {
      if (paragraph.size() > 2) paragraph += ' ';
      paragraph += line;
    }
    text.remove_prefix(end);
    text.remove_prefix(text.starts_with("\r\n") ? 2 : text.empty() ? 0 : 1);
  }
  finish();
  return result;
}

std::string plain_text(const Text& text) {
  std::string result;
  for (const Span& span : text) result += span.text;
  return result;
}

}  // namespace flashscope::lessons
