// See rich_text.h. Text flows word by word; a word may be of several pieces, such as code with a
// comma behind it, which stay together.
#include <algorithm>
#include <imgui_internal.h>
#include <string>
#include <utility>
#include <vector>

#include "viz/window/panels/rich_text_words.h"

namespace flashscope::window {
namespace {

using lessons::Span;
using lessons::Text;
using Style = Span::Style;

// Of the font's size.
constexpr float kCodePadding = 0.2f;
constexpr float kSlant = 0.2f;  // of emphasis: there is no italic font

ImFont* font_of(Style style, const Theme& theme) {
  return style == Style::code ? theme.mono : theme.sans;
}

float width_of(const std::string& text, Style style, const Theme& theme) {
  const float size = ImGui::GetFontSize();
  const float width = font_of(style, theme)->CalcTextSizeA(size, FLT_MAX, 0, text.c_str()).x;
  return width + (style == Style::code ? 2 * kCodePadding * size : 0);
}

// A word that no line holds is broken where the line is full.
void break_long(std::vector<TextWord>& words, const Theme& theme, float room) {
  for (std::size_t n = 0; n < words.size(); ++n) {
    TextWord& word = words[n];
    if (word.width <= room || word.pieces.size() != 1) continue;
    TextPiece& piece = word.pieces.front();
    const Style style = piece.span->style;
    const char* const begin = piece.text.c_str();
    const float padding = style == Style::code ? 2 * kCodePadding * ImGui::GetFontSize() : 0;
    const char* end = begin;
    font_of(style, theme)
        ->CalcTextSizeA(ImGui::GetFontSize(), std::max(1.0f, room - padding), 0, begin, nullptr,
                        &end);
    if (end == begin || *end == '\0') continue;
    TextWord rest;
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
void link_item(const TextPiece& piece, ImVec2 at, float height, int id) {
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

void draw_piece(const TextPiece& piece, ImVec2 at, const Theme& theme, ImU32 color, int id) {
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

}  // namespace

std::vector<TextWord> words_of(const Text& text, const Theme& theme, float room) {
  std::vector<TextWord> words;
  bool joins = false;  // with the word before: no space between them
  const auto add = [&](std::string piece, const Span& span, bool new_line) {
    const float width = width_of(piece, span.style, theme);
    if (!joins || words.empty()) {
      words.push_back({{}, 0, width_of(" ", Style::plain, theme), new_line});
    }
    TextWord& word = words.back();
    word.pieces.push_back({std::move(piece), &span, width});
    word.width += width;
    joins = true;
  };
  bool new_line = false;  // before the next word
  for (const Span& span : text) {
    const bool whole = (span.style == Style::code || span.style == Style::link) &&
                       width_of(span.text, span.style, theme) <= room;
    if (whole) {
      add(span.text, span, std::exchange(new_line, false));
      continue;
    }
    for (std::size_t at = 0; at < span.text.size();) {
      if (span.text[at] == ' ' || span.text[at] == '\n') {
        new_line = new_line || span.text[at] == '\n';
        joins = false;
        ++at;
        continue;
      }
      const std::size_t end = std::min(span.text.find_first_of(" \n", at), span.text.size());
      add(span.text.substr(at, end - at), span, std::exchange(new_line, false));
      at = end;
    }
  }
  return words;
}

float natural_width(const Text& text, const Theme& theme) {
  float width = 0;
  for (const Span& span : text) width += width_of(span.text, span.style, theme);
  return width;
}

void draw_text(const Text& text, const Theme& theme, ImU32 color) {
  const float em = ImGui::GetFontSize(), line = em * (1 + kTextLineGap);
  const float room = std::max(em, ImGui::GetContentRegionAvail().x);
  std::vector<TextWord> words = words_of(text, theme, room);
  break_long(words, theme, room);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImVec2 at = origin;
  int id = 0;
  for (const TextWord& word : words) {
    const bool first = at.x == origin.x;
    const float space = first ? 0 : word.space;
    if (word.new_line || (!first && at.x + space + word.width > origin.x + room)) {
      if (!first || word.new_line) at = {origin.x, at.y + line};
    } else {
      at.x += space;
    }
    for (const TextPiece& piece : word.pieces) {
      draw_piece(piece, at, theme, color, id++);
      at.x += piece.width;
    }
  }
  ImGui::Dummy({at.y > origin.y ? room : at.x - origin.x, at.y - origin.y + em});
}

}  // namespace flashscope::window
