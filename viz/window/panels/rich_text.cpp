// See rich_text.h. Text flows word by word; a word may be of several pieces, such as code with a
// comma behind it, which stay together.
#include "viz/window/panels/rich_text.h"

#include <algorithm>
#include <cstdio>
#include <imgui_internal.h>
#include <numeric>
#include <string>
#include <vector>

namespace flashscope::window {
namespace {

using lessons::Span;
using lessons::Text;
using lessons::TextBlock;
using Style = Span::Style;

// Of the font's size, as all sizes here.
constexpr float kLineGap = 0.28f;
constexpr float kParagraphGap = 0.45f;
constexpr float kCodePadding = 0.2f;
constexpr float kIndent = 1.25f;  // of a level of a list
constexpr float kSlant = 0.2f;    // of emphasis: there is no italic font

struct Piece {
  std::string text;
  const Span* span = nullptr;
  float width = 0;
};
struct Word {
  std::vector<Piece> pieces;
  float width = 0;
  float space = 0;  // before it
  bool new_line = false;
};

ImFont* font_of(Style style, const Theme& theme) {
  return style == Style::code ? theme.mono : theme.sans;
}

float width_of(const std::string& text, Style style, const Theme& theme) {
  const float size = ImGui::GetFontSize();
  const float width = font_of(style, theme)->CalcTextSizeA(size, FLT_MAX, 0, text.c_str()).x;
  return width + (style == Style::code ? 2 * kCodePadding * size : 0);
}

// Words of a text. Code and links are not broken unless they are longer than a line.
std::vector<Word> words_of(const Text& text, const Theme& theme, float room) {
  std::vector<Word> words;
  bool joins = false;  // with the word before: no space between them
  const auto add = [&](std::string piece, const Span& span, bool new_line) {
    const float width = width_of(piece, span.style, theme);
    if (!joins || words.empty()) {
      words.push_back({{}, 0, width_of(" ", Style::plain, theme), new_line});
    }
    Word& word = words.back();
    word.pieces.push_back({std::move(piece), &span, width});
    word.width += width;
    joins = true;
  };
  for (const Span& span : text) {
    const bool whole = (span.style == Style::code || span.style == Style::link) &&
                       width_of(span.text, span.style, theme) <= room;
    if (whole) {
      add(span.text, span, false);
      continue;
    }
    bool new_line = false;
    for (std::size_t at = 0; at < span.text.size();) {
      if (span.text[at] == ' ' || span.text[at] == '\n') {
        new_line = new_line || span.text[at] == '\n';
        joins = false;
        ++at;
        continue;
      }
      const std::size_t end = std::min(span.text.find_first_of(" \n", at), span.text.size());
      add(span.text.substr(at, end - at), span, new_line);
      new_line = false;
      at = end;
    }
  }
  return words;
}

// A word that no line holds is broken where the line is full.
void break_long(std::vector<Word>& words, const Theme& theme, float room) {
  for (std::size_t n = 0; n < words.size(); ++n) {
    Word& word = words[n];
    if (word.width <= room || word.pieces.size() != 1) continue;
    Piece& piece = word.pieces.front();
    const Style style = piece.span->style;
    const char* const begin = piece.text.c_str();
    const float padding = style == Style::code ? 2 * kCodePadding * ImGui::GetFontSize() : 0;
    const char* end = begin;
    font_of(style, theme)
        ->CalcTextSizeA(ImGui::GetFontSize(), std::max(1.0f, room - padding), 0, begin, nullptr,
                        &end);
    if (end == begin || *end == '\0') continue;
    Word rest;
    rest.pieces = {{std::string(end), piece.span, width_of(end, style, theme)}};
    rest.width = rest.pieces.front().width;
    rest.new_line = true;
    piece.text.resize(static_cast<std::size_t>(end - begin));
    piece.width = word.width = width_of(piece.text, style, theme);
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(n) + 1, std::move(rest));
  }
}

bool is_address(const std::string& target) {
  return target.starts_with("https://") || target.starts_with("http://");
}

// A link can be pressed, with the mouse and the keys; it is opened by the system.
void link_item(const Piece& piece, ImVec2 at, float height, int id) {
  const ImVec2 before = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos(at);
  ImGui::PushID(id);
  const bool pressed = ImGui::InvisibleButton("##link", {std::max(1.0f, piece.width), height},
                                              ImGuiButtonFlags_EnableNav);
  if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  ImGui::SetItemTooltip("%s", piece.span->target.c_str());
  if (pressed && is_address(piece.span->target)) {
    ImGuiPlatformIO& platform = ImGui::GetPlatformIO();
    if (platform.Platform_OpenInShellFn != nullptr) {
      platform.Platform_OpenInShellFn(ImGui::GetCurrentContext(), piece.span->target.c_str());
    }
  }
  ImGui::PopID();
  ImGui::SetCursorScreenPos(before);
}

void draw_piece(const Piece& piece, ImVec2 at, const Theme& theme, ImU32 color, int id) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float em = ImGui::GetFontSize();
  const Style style = piece.span->style;
  ImFont* const font = font_of(style, theme);
  const char* const text = piece.text.c_str();
  switch (style) {
    case Style::plain:
      draw.AddText(font, em, at, color, text);
      break;
    case Style::strong: {
      draw.AddText(font, em, at, color, text);
      // There is no bold font. Dear ImGui begins text at whole pixels: a part of one is a shift.
      const int first = draw.VtxBuffer.Size;
      draw.AddText(font, em, at, color, text);
      for (int n = first; n < draw.VtxBuffer.Size; ++n) draw.VtxBuffer[n].pos.x += em / 28;
      break;
    }
    case Style::emphasis: {
      const int first = draw.VtxBuffer.Size;
      draw.AddText(font, em, at, color, text);
      for (int n = first; n < draw.VtxBuffer.Size; ++n) {
        ImVec2& corner = draw.VtxBuffer[n].pos;
        corner.x += kSlant * (at.y + 0.8f * em - corner.y);
      }
      break;
    }
    case Style::code: {
      const float pad = kCodePadding * em;
      draw.AddRectFilled(at - ImVec2(0, pad / 2), at + ImVec2(piece.width, em + pad / 2),
                         theme.surface, pad);
      draw.AddText(font, em, at + ImVec2(pad, 0), color, text);
      break;
    }
    case Style::link: {
      draw.AddText(font, em, at, color, text);
      draw.AddLine(at + ImVec2(0, em * 1.02f), at + ImVec2(piece.width, em * 1.02f),
                   Theme::faded(color, 0.6f));
      link_item(piece, at, em, id);
      break;
    }
  }
}

// The width that a text would like to have, on one line.
float natural_width(const Text& text, const Theme& theme) {
  float width = 0;
  for (const Span& span : text) width += width_of(span.text, span.style, theme);
  return width;
}

void draw_heading(const TextBlock& block, const Theme& theme) {
  const float em = ImGui::GetFontSize();
  ImGui::Dummy({0, em * 0.3f});
  Text strong = block.text;
  for (Span& span : strong) {
    if (span.style == Style::plain) span.style = Style::strong;
  }
  ImGui::PushFont(nullptr, ImGui::GetStyle().FontSizeBase * (block.level <= 2 ? 1.25f : 1.08f));
  draw_text(strong, theme);
  ImGui::PopFont();
}

void draw_item(const TextBlock& block, const Theme& theme) {
  const float em = ImGui::GetFontSize();
  const float indent = kIndent * em * static_cast<float>(std::max(block.level, 1));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string label = block.label == "-" || block.label.empty() ? "•" : block.label;
  const float width = ImGui::CalcTextSize(label.c_str()).x;
  ImGui::GetWindowDrawList()->AddText(at + ImVec2(indent - width - 0.4f * em, 0), theme.text_dim,
                                      label.c_str());
  ImGui::Indent(indent);
  draw_text(block.text, theme);
  ImGui::Unindent(indent);
}

void draw_quote(const TextBlock& block, const Theme& theme) {
  const float em = ImGui::GetFontSize();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Indent(0.9f * em);
  draw_text(block.text, theme, theme.text_dim);
  ImGui::Unindent(0.9f * em);
  const float bottom = ImGui::GetItemRectMax().y;
  ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + 0.2f * em, bottom}, theme.line);
}

// Widths of a table's columns: what each would like to have where there is room for it; else at
// least its longest word, and of the rest in proportion to what is missing.
std::vector<float> column_widths(const TextBlock& block, const Theme& theme, float room) {
  const std::size_t columns = block.rows.front().size();
  std::vector<float> widths(columns), least(columns);
  for (const auto& row : block.rows) {
    for (std::size_t n = 0; n < std::min(columns, row.size()); ++n) {
      widths[n] = std::max(widths[n], natural_width(row[n].text, theme) + 1);
      for (const Word& word : words_of(row[n].text, theme, 0)) {
        least[n] = std::max(least[n], word.width + 1);
      }
    }
  }
  const float wanted = std::accumulate(widths.begin(), widths.end(), 0.0f);
  const float needed = std::accumulate(least.begin(), least.end(), 0.0f);
  if (wanted <= room) {
    // What is left lies between the columns.
    for (float& width : widths) width += (room - wanted) / static_cast<float>(columns);
    return widths;
  }
  const float part =
      wanted > needed ? std::clamp((room - needed) / (wanted - needed), 0.0f, 1.0f) : 0;
  for (std::size_t n = 0; n < columns; ++n) widths[n] = least[n] + part * (widths[n] - least[n]);
  return widths;
}

void draw_table(const TextBlock& block, const Theme& theme) {
  if (block.rows.empty() || block.rows.front().empty()) return;
  const std::size_t columns = block.rows.front().size();
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoPadOuterX;
  const float padding = 2 * ImGui::GetStyle().CellPadding.x * static_cast<float>(columns - 1);
  const std::vector<float> widths =
      column_widths(block, theme, ImGui::GetContentRegionAvail().x - padding - 1);
  if (!ImGui::BeginTable("##table", static_cast<int>(columns), kFlags)) return;
  for (const float width : widths) {
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, width);
  }
  for (const auto& row : block.rows) {
    ImGui::TableNextRow();
    for (std::size_t n = 0; n < std::min(columns, row.size()); ++n) {
      ImGui::TableNextColumn();
      const float room = ImGui::GetContentRegionAvail().x - natural_width(row[n].text, theme);
      if (row[n].right_aligned && room > 0) {
        ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - 1);
      }
      draw_text(row[n].text, theme, &row == block.rows.data() ? theme.text_dim : theme.text);
    }
  }
  ImGui::EndTable();
}

// At most two spaces between words; those at the line's begin stay.
std::string squeeze(std::string_view line) {
  const std::size_t own = std::min(line.find_first_not_of(' '), line.size());
  std::string text(line.substr(0, own));
  for (const char c : line.substr(own)) {
    if (c != ' ' || !text.ends_with("  ")) text += c;
  }
  return text;
}

void draw_code(const std::string& code, const Theme& theme) {
  std::vector<BoxedLine> lines;
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t end = std::min(code.find('\n', at), code.size());
    lines.push_back({0, std::string_view(code).substr(at, end - at), false});
    at = end + 1;
  }
  draw_code_box(lines, theme);
}

}  // namespace

void draw_text(const Text& text, const Theme& theme, ImU32 color) {
  const float em = ImGui::GetFontSize(), line = em * (1 + kLineGap);
  const float room = std::max(em, ImGui::GetContentRegionAvail().x);
  std::vector<Word> words = words_of(text, theme, room);
  break_long(words, theme, room);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImVec2 at = origin;
  int id = 0;
  for (const Word& word : words) {
    const bool first = at.x == origin.x;
    const float space = first ? 0 : word.space;
    if (word.new_line || (!first && at.x + space + word.width > origin.x + room)) {
      if (!first || word.new_line) at = {origin.x, at.y + line};
    } else {
      at.x += space;
    }
    for (const Piece& piece : word.pieces) {
      draw_piece(piece, at, theme, color, id++);
      at.x += piece.width;
    }
  }
  ImGui::Dummy({at.y > origin.y ? room : at.x - origin.x, at.y - origin.y + em});
}

void draw_text_blocks(std::span<const TextBlock> blocks, const Theme& theme) {
  const float gap = kParagraphGap * ImGui::GetFontSize();
  for (std::size_t n = 0; n < blocks.size(); ++n) {
    const TextBlock& block = blocks[n];
    ImGui::PushID(block.line);
    switch (block.kind) {
      case TextBlock::Kind::heading:
        draw_heading(block, theme);
        break;
      case TextBlock::Kind::paragraph:
        draw_text(block.text, theme);
        break;
      case TextBlock::Kind::item:
        draw_item(block, theme);
        break;
      case TextBlock::Kind::quote:
        draw_quote(block, theme);
        break;
      case TextBlock::Kind::code:
        draw_code(block.code, theme);
        break;
      case TextBlock::Kind::table:
        draw_table(block, theme);
        break;
      case TextBlock::Kind::rule:
        ImGui::Separator();
        break;
    }
    ImGui::PopID();
    const bool list_goes_on = block.kind == TextBlock::Kind::item && n + 1 < blocks.size() &&
                              blocks[n + 1].kind == TextBlock::Kind::item;
    if (!list_goes_on) ImGui::Dummy({0, std::max(0.0f, gap - ImGui::GetStyle().ItemSpacing.y)});
  }
}

void draw_code_box(std::span<const BoxedLine> lines, const Theme& theme) {
  ImGui::PushFont(theme.mono, ImGui::GetStyle().FontSizeBase * 0.93f);
  const float em = ImGui::GetFontSize(), line = em * (1 + kLineGap), pad = 0.4f * em;
  const float advance = ImGui::CalcTextSize("0").x;
  const bool some_marked = std::ranges::any_of(lines, &BoxedLine::marked);
  const bool numbered = std::ranges::any_of(lines, [](const BoxedLine& l) { return l.number > 0; });
  const float text_begin = pad + (numbered ? 4 * advance : 0);
  const float width = std::max(10 * advance, ImGui::GetContentRegionAvail().x);

  // Where a line does not fit, columns that are far apart come together first; what still does not
  // fit goes below, indented a little more.
  const auto columns =
      static_cast<std::size_t>(std::max(1.0f, (width - pad - text_begin) / advance));
  std::vector<std::string> texts;
  const bool squeezed =
      std::ranges::any_of(lines, [&](const BoxedLine& l) { return l.text.size() > columns; });
  for (const BoxedLine& boxed : lines) {
    texts.push_back(squeezed ? squeeze(boxed.text) : std::string(boxed.text));
  }
  struct Row {
    const BoxedLine* line;
    const char *begin, *end;
    float x;
    bool first;
  };
  std::vector<Row> rows;
  for (std::size_t n = 0; n < lines.size(); ++n) {
    const BoxedLine& boxed = lines[n];
    const std::string& text = texts[n];
    const char* at = text.data();
    const char* const end = at + text.size();
    const std::size_t own = std::min(text.find_first_not_of(' '), text.size());
    float x = text_begin;
    do {
      const float room = std::max(width - pad - x, 4 * advance);
      const char* stop = at < end ? ImGui::GetFont()->CalcWordWrapPosition(em, at, end, room) : end;
      if (stop == at) stop = end;
      rows.push_back({&boxed, at, stop, x, at == text.data()});
      at = stop;
      while (at < end && *at == ' ') ++at;
      x = text_begin + advance * static_cast<float>(own + 2);
    } while (at < end);
  }

  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const ImVec2 size(width, static_cast<float>(rows.size()) * line + 2 * pad - kLineGap * em);
  draw.AddRectFilled(origin, origin + size, theme.surface, pad / 2);
  float y = origin.y + pad;
  for (const Row& row : rows) {
    const BoxedLine& boxed = *row.line;
    if (boxed.marked) {
      const float top = y - kLineGap * em / 2;
      draw.AddRectFilled({origin.x, top}, {origin.x + width, top + line},
                         Theme::faded(theme.accent, 0.15f));
      draw.AddRectFilled({origin.x, top}, {origin.x + pad / 2, top + line}, theme.accent);
    }
    if (boxed.number > 0 && row.first) {
      char number[12];
      std::snprintf(number, sizeof number, "%3d", boxed.number);
      draw.AddText({origin.x + pad, y}, theme.text_dim, number);
    }
    draw.AddText({origin.x + row.x, y}, some_marked && !boxed.marked ? theme.text_dim : theme.text,
                 row.begin, row.end);
    y += line;
  }
  ImGui::PopFont();
  ImGui::Dummy(size);
}

}  // namespace flashscope::window
