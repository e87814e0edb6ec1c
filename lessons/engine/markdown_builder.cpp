// See markdown_builder.h.
#include "lessons/engine/markdown_builder.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "lessons/engine/markdown_text.h"

namespace flashscope::lessons {
namespace {

std::string attribute_text(const MD_ATTRIBUTE& attribute) {
  std::string result;
  for (int i = 0; attribute.size > 0 && attribute.substr_offsets[i] < attribute.size; ++i) {
    const MD_OFFSET begin = attribute.substr_offsets[i], end = attribute.substr_offsets[i + 1];
    const std::string_view part(attribute.text + begin, end - begin);
    const bool is_entity = attribute.substr_types[i] == MD_TEXT_ENTITY;
    result += is_entity ? decode_entity(part) : std::string(part);
  }
  return result;
}

}  // namespace

LineIndex::LineIndex(std::string_view text, int first_line) : text_(text), first_line_(first_line) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool lone_return = text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n');
    if (text[i] == '\n' || lone_return) begins_.push_back(i + 1);
  }
}

std::optional<int> LineIndex::line_of(const char* at) const {
  const std::less<> before;  // < between pointers into different arrays means nothing
  if (at == nullptr || before(at, text_.data()) || !before(at, text_.data() + text_.size())) {
    return {};
  }
  const auto offset = static_cast<std::size_t>(at - text_.data());
  return first_line_ + static_cast<int>(std::upper_bound(begins_.begin(), begins_.end(), offset) -
                                        begins_.begin());
}

// A block whose line is not known yet: it is close to the text before.
TextBlock& MarkdownBuilder::open(TextBlock::Kind kind) {
  TextBlock block;
  block.kind = kind;
  block.line = line_;
  is_open_ = true;
  has_line_ = false;
  spans_.clear();
  return blocks_.emplace_back(std::move(block));
}

// What text is in, where no heading, code or table says so.
void MarkdownBuilder::open_text_block() {
  if (containers_.empty()) {
    open(TextBlock::Kind::paragraph);
  } else if (containers_.back().is_quote) {
    open(TextBlock::Kind::quote);
  } else {
    TextBlock& item = open(TextBlock::Kind::item);
    item.level = static_cast<int>(lists_.size());
    item.label = std::exchange(containers_.back().label, {});
  }
}

// An item that begins with another block, or is empty, still shows its label.
void MarkdownBuilder::show_label() {
  close();
  if (containers_.empty() || containers_.back().label.empty()) return;
  open_text_block();
  close();
}

void MarkdownBuilder::begin_code(const MD_BLOCK_CODE_DETAIL& detail) {
  TextBlock& block = open(TextBlock::Kind::code);
  block.label = attribute_text(detail.lang);
  is_fenced_ = detail.fence_char != 0;
  if (const auto line = lines_.line_of(detail.lang.text); line && detail.lang.size > 0) {
    block.line = line_ = *line;
    has_line_ = true;
  }
}

void MarkdownBuilder::enter(MD_BLOCKTYPE type, void* detail) {
  switch (type) {
    case MD_BLOCK_QUOTE:
      show_label();
      containers_.push_back({true, {}});
      break;
    case MD_BLOCK_UL:
      show_label();
      lists_.push_back({"-"});
      break;
    case MD_BLOCK_OL: {
      show_label();
      const auto& list = *static_cast<MD_BLOCK_OL_DETAIL*>(detail);
      lists_.push_back({"", list.start, list.mark_delimiter});
      break;
    }
    case MD_BLOCK_LI: {
      close();
      List& list = lists_.back();
      containers_.push_back({false, list.bullet.empty()
                                        ? fmt::format("{}{}", list.next++, list.delimiter)
                                        : list.bullet});
      break;
    }
    case MD_BLOCK_P:
      close();
      open_text_block();
      break;
    case MD_BLOCK_HR:
      show_label();
      open(TextBlock::Kind::rule);
      close();
      break;
    case MD_BLOCK_H:
      show_label();
      open(TextBlock::Kind::heading).level =
          static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
      break;
    case MD_BLOCK_CODE:
      show_label();
      begin_code(*static_cast<MD_BLOCK_CODE_DETAIL*>(detail));
      break;
    case MD_BLOCK_TABLE:
      show_label();
      open(TextBlock::Kind::table);
      break;
    case MD_BLOCK_TR:
      blocks_.back().rows.emplace_back();
      break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD: {
      const bool right = static_cast<MD_BLOCK_TD_DETAIL*>(detail)->align == MD_ALIGN_RIGHT;
      blocks_.back().rows.back().push_back({{}, right});
      ++cells_;
      break;
    }
    default:
      break;
  }
}

void MarkdownBuilder::leave(MD_BLOCKTYPE type) {
  switch (type) {
    case MD_BLOCK_LI:
      show_label();
      [[fallthrough]];
    case MD_BLOCK_QUOTE:
      close();
      containers_.pop_back();
      break;
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
      lists_.pop_back();
      break;
    case MD_BLOCK_P:
    case MD_BLOCK_H:
    case MD_BLOCK_CODE:
    case MD_BLOCK_TABLE:
      close();
      break;
    default:
      break;
  }
}

void MarkdownBuilder::enter(MD_SPANTYPE type, void* detail) {
  if (!is_open_) open_text_block();  // an item of a tight list that begins with a span
  Span span;
  if (type == MD_SPAN_EM) span.style = Span::Style::emphasis;
  if (type == MD_SPAN_STRONG) span.style = Span::Style::strong;
  if (type == MD_SPAN_CODE) span.style = Span::Style::code;
  if (type == MD_SPAN_A) {
    std::string target = attribute_text(static_cast<MD_SPAN_A_DETAIL*>(detail)->href);
    if (is_harmless_target(target)) {
      span.style = Span::Style::link;
      span.target = std::move(target);
    }
  }
  spans_.push_back(std::move(span));
}

// The first text of a block tells its line.
void MarkdownBuilder::note_line(const char* at) {
  const auto line = lines_.line_of(at);
  if (!line) return;
  line_ = *line;
  if (has_line_) return;
  TextBlock& block = blocks_.back();
  const auto lines_before = std::count(block.code.begin(), block.code.end(), '\n');
  const bool below_fence = block.kind == TextBlock::Kind::code && is_fenced_;
  block.line = line_ - static_cast<int>(lines_before) - (below_fence ? 1 : 0);
  has_line_ = true;
}

void MarkdownBuilder::text(MD_TEXTTYPE type, std::string_view text) {
  if (!is_open_) open_text_block();
  note_line(text.data());
  if (blocks_.back().kind == TextBlock::Kind::code) {
    blocks_.back().code += type == MD_TEXT_NULLCHAR ? "\uFFFD" : text;
    return;
  }
  switch (type) {
    case MD_TEXT_NULLCHAR:
      return append("\uFFFD");
    case MD_TEXT_BR:
      return append("\n");
    case MD_TEXT_SOFTBR:
      return append(" ");
    case MD_TEXT_ENTITY:
      return append(decode_entity(text));
    case MD_TEXT_CODE:
      return append(text == "\n" ? " " : text);
    default:
      return append(text);
  }
}

// A span has one style: a link stays one whatever is in it, code likewise; else the innermost.
void MarkdownBuilder::append(std::string_view text) {
  Span span;
  for (const Span& around : spans_) {
    if (around.style == Span::Style::plain) continue;
    if (span.style != Span::Style::link && span.style != Span::Style::code) span = around;
    if (around.style == Span::Style::link) span = around;
  }
  TextBlock& block = blocks_.back();
  Text& to = block.kind == TextBlock::Kind::table ? block.rows.back().back().text : block.text;
  if (!to.empty() && to.back().style == span.style && to.back().target == span.target) {
    to.back().text += text;
    return;
  }
  span.text = text;
  to.push_back(std::move(span));
}

}  // namespace flashscope::lessons
