// Headings, lists, quotes, tables and code; see rich_text.h.
#include <algorithm>
#include <cstdio>
#include <numeric>

#include "viz/window/panels/rich_text_words.h"

namespace flashscope::window {
namespace {

using lessons::Span;
using lessons::Text;
using lessons::TextBlock;
using Style = Span::Style;

// Of the font's size.
constexpr float kParagraphGap = 0.45f;
constexpr float kIndent = 1.25f;  // of a level of a list

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
      for (const TextWord& word : words_of(row[n].text, theme, 0)) {
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
  const float em = ImGui::GetFontSize(), line = em * (1 + kTextLineGap), pad = 0.4f * em;
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
  const ImVec2 size(width, static_cast<float>(rows.size()) * line + 2 * pad - kTextLineGap * em);
  draw.AddRectFilled(origin, origin + size, theme.surface, pad / 2);
  float y = origin.y + pad;
  for (const Row& row : rows) {
    const BoxedLine& boxed = *row.line;
    if (boxed.marked) {
      const float top = y - kTextLineGap * em / 2;
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
