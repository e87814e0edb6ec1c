// See code_area.h.
#include "viz/window/panels/code_area.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

namespace flashscope::window {
namespace {

using views::CodeLine;
using views::Ink;
using views::Span;

constexpr float kRowHeight = 1.3f;  // times the font's size
constexpr float kDimmed = 0.42f;    // opacity of lines that do not apply
constexpr int kHang = 4;            // columns that a wrapped line's rest is indented by
constexpr int kFewestColumns = 8;
constexpr int kNarrow = 44;  // columns below which indents take half the space

float row_height() { return std::round(ImGui::GetFontSize() * kRowHeight); }

std::size_t first_column(const CodeLine& code) {
  return code.spans.empty() ? 0 : code.spans.front().begin;
}

// The end of the word that `begin` lies in: a word goes on over spans without space between them.
std::size_t word_end(std::string_view text, std::size_t begin) {
  return std::min(text.find_first_of(" \t", begin), text.size());
}

}  // namespace

void CodeArea::lay_out_line(const CodeLine& code, int line, int columns) {
  const std::string_view text = code.text;
  const int share = columns < kNarrow ? 2 : 1;
  const int indent = std::min(static_cast<int>(first_column(code)) / share, columns / 2);
  const int hang = std::min(indent + kHang / share, columns / 2);
  std::size_t before = first_column(code);
  int column = indent;
  first_row_.push_back(rows_.size());
  rows_.push_back({line, pieces_.size(), pieces_.size()});
  const auto break_row = [&] {
    rows_.back().end_piece = pieces_.size();
    rows_.push_back({line, pieces_.size(), pieces_.size()});
    column = hang;
  };
  std::size_t word_until = 0;
  for (const Span& span : code.spans) {
    std::size_t at = span.begin;
    while (at < span.end) {
      if (text[at] == ' ' || text[at] == '\t') {
        ++at;
        continue;
      }
      if (at >= word_until) {  // a word begins
        word_until = word_end(text, at);
        const int gap = static_cast<int>(at - before);
        column += squeezed_ ? std::min(gap, 2) : gap;
        const int length = views::columns_of(text.substr(at, word_until - at));
        if (column + length > columns && column > hang) break_row();
      }
      const std::size_t end = std::min(span.end, word_until);
      // A word longer than a row is cut where the row ends.
      std::size_t cut = at;
      int length = 0;
      while (cut < end && (length < columns - column || length == 0)) {
        do ++cut;
        while (cut < end && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U);
        ++length;
      }
      pieces_.push_back({at, cut, span.ink, column});
      column += length;
      at = before = cut;
      if (cut < end) break_row();
    }
  }
  rows_.back().end_piece = pieces_.size();
}

void CodeArea::lay_out(const std::vector<CodeLine>& code, int columns) {
  pieces_.clear();
  rows_.clear();
  first_row_.clear();
  // All lines alike, so that what stands in columns stays in columns. Comments may wrap.
  squeezed_ = squeezes_ && std::any_of(code.begin(), code.end(), [&](const CodeLine& line) {
                return !line.spans.empty() && line.spans.front().ink != Ink::comment &&
                       views::columns_of(line.text) > columns;
              });
  for (std::size_t n = 0; n < code.size(); ++n) lay_out_line(code[n], static_cast<int>(n), columns);
  first_row_.push_back(rows_.size());
}

// Scrolls when one of the lines is not to be seen. A scroll position that nobody here asked for is
// the user's: then the area stops following.
void CodeArea::keep_in_view(std::pair<int, int> lines, float height) {
  const float scroll = ImGui::GetScrollY(), range = ImGui::GetScrollMaxY();
  const bool moved = std::abs(scroll - last_scroll_) > 0.5f && range == last_range_;
  if (moved && !scrolling_) follows_ = false;
  last_scroll_ = scroll;
  last_range_ = range;
  scrolling_ = false;
  const auto first = static_cast<std::size_t>(lines.first - 1);
  const auto end = static_cast<std::size_t>(lines.second - 1);
  if (!follows_ || lines.first < 1 || lines.second <= lines.first || end >= first_row_.size()) {
    return;
  }
  const float top = static_cast<float>(first_row_[first]) * height;
  const float bottom = static_cast<float>(first_row_[end]) * height;
  const float seen = ImGui::GetWindowHeight(), spare = std::min(3 * height, seen / 5);
  if (top - spare >= scroll && bottom + spare <= scroll + seen) return;
  const float target = std::clamp(std::floor((top - seen * 0.35f) / height) * height, 0.0f, range);
  if (std::abs(target - scroll) <= 0.5f) return;
  ImGui::SetScrollY(target);
  scrolling_ = true;
}

void CodeArea::draw_row(const Row& row, const CodeLine& code, ImVec2 at, float advance,
                        const LineLook& look, const Theme& theme) const {
  ImDrawList* const draw = ImGui::GetWindowDrawList();
  for (std::size_t p = row.first_piece; p < row.end_piece; ++p) {
    const Piece& piece = pieces_[p];
    const std::string_view word =
        std::string_view(code.text).substr(piece.begin, piece.end - piece.begin);
    ImU32 colour = ink_colour(theme, piece.ink, word);
    if (look.dim) colour = Theme::faded(colour, kDimmed);
    if (piece.ink == Ink::marker && look.mark == LineLook::Mark::current) colour = theme.accent;
    const float x = at.x + std::round(static_cast<float>(piece.column) * advance);
    draw->AddText({x, at.y}, colour, word.data(), word.data() + word.size());
  }
}

std::string_view CodeArea::tensor_at(const CodeLine& code, std::size_t line, ImVec2 corner,
                                     float height, float advance) const {
  const ImVec2 mouse = ImGui::GetMousePos();
  const auto below = static_cast<std::size_t>(std::max(0.0f, (mouse.y - corner.y) / height));
  const std::size_t row = std::min(first_row_[line] + below, first_row_[line + 1] - 1);
  const float column = (mouse.x - corner.x) / advance;
  for (std::size_t p = rows_[row].first_piece; p < rows_[row].end_piece; ++p) {
    const Piece& piece = pieces_[p];
    const auto begin = static_cast<float>(piece.column);
    const auto end = begin + static_cast<float>(piece.end - piece.begin);
    if (piece.ink == Ink::tensor && column >= begin && column < end) {
      return std::string_view(code.text).substr(piece.begin, piece.end - piece.begin);
    }
  }
  return {};
}

CodeArea::Event CodeArea::draw(const char* id, ImVec2 size, const std::vector<CodeLine>& code,
                               std::uint64_t version, std::pair<int, int> follow,
                               const Theme& theme, const std::function<LineLook(int)>& look) {
  Event event;
  ImGui::PushFont(theme.mono, 0.0f);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  const float advance = ImGui::CalcTextSize("0").x, height = row_height();
  // Whole rows only: none is cut off at the bottom.
  ImGui::BeginChild(id, {size.x, std::max(1.0f, std::floor(size.y / height)) * height});
  const Margin margin(code.size());
  const float width = ImGui::GetContentRegionAvail().x;
  const int columns =
      std::max(kFewestColumns, static_cast<int>((width - margin.width) / advance - 0.5f));
  if (columns != columns_ || version != version_ || first_row_.empty()) {
    lay_out(code, columns);
    columns_ = columns;
    version_ = version;
  }
  keep_in_view(follow, height);

  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float top = ImGui::GetWindowPos().y, bottom = top + ImGui::GetWindowHeight();
  ImDrawList* const draw = ImGui::GetWindowDrawList();
  const float text_y = std::floor((height - ImGui::GetFontSize()) / 2);
  for (std::size_t n = 0; n < code.size(); ++n) {
    const auto rows = static_cast<float>(first_row_[n + 1] - first_row_[n]);
    const ImVec2 corner = {origin.x, origin.y + static_cast<float>(first_row_[n]) * height};
    if (corner.y + rows * height < top || corner.y > bottom) continue;
    const int line = static_cast<int>(n) + 1;
    LineLook l = look(line);

    ImGui::SetCursorScreenPos(corner);
    const bool margin_clicked = ImGui::InvisibleButton(
        fmt::format("##margin_{}", line).c_str(), {margin.width, rows * height},
        l.clickable ? ImGuiButtonFlags_EnableNav : ImGuiButtonFlags_None);
    if (ImGui::IsItemHovered()) {
      event = {line, true, false, ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip), {}};
      if (l.dot == LineLook::Dot::none) l.dot = LineLook::Dot::faint;
    }
    if (margin_clicked) event = {line, true, true, false, {}};
    ImGui::SetCursorScreenPos({corner.x + margin.width, corner.y});
    const float text_width = std::max(1.0f, width - margin.width);
    const bool clicked =
        ImGui::InvisibleButton(fmt::format("##line_{}", line).c_str(), {text_width, rows * height});
    if (ImGui::IsItemHovered()) {
      const ImVec2 text_corner = {corner.x + margin.width, corner.y};
      event = {line, false, clicked, ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip),
               tensor_at(code[n], n, text_corner, height, advance)};
    }

    if (l.mark != LineLook::Mark::none || l.mistake) {
      const bool current = l.mark == LineLook::Mark::current;
      const ImVec2 end = {origin.x + width, corner.y + rows * height};
      draw->AddRectFilled(
          {origin.x, corner.y}, end,
          Theme::faded(l.mistake ? theme.bad : theme.accent, current || l.mistake ? 0.2f : 0.09f));
      if (current) {
        draw->AddRectFilled({origin.x, corner.y},
                            {origin.x + std::max(2.0f, std::round(height * 0.12f)), end.y},
                            theme.accent);
      }
    }
    draw_margin(theme, margin, line, l, corner, height);
    for (std::size_t r = first_row_[n]; r < first_row_[n + 1]; ++r) {
      const float y = origin.y + static_cast<float>(r) * height + text_y;
      draw_row(rows_[r], code[n], {corner.x + margin.width, y}, advance, l, theme);
    }
  }
  ImGui::SetCursorScreenPos({origin.x, origin.y + static_cast<float>(rows_.size()) * height});
  ImGui::Dummy({1, height});
  ImGui::EndChild();
  ImGui::PopStyleVar(2);
  ImGui::PopFont();
  return event;
}

}  // namespace flashscope::window
