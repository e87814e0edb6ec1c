// The tiles on chip, a card each: size, place and what it holds; the next op's are outlined. See
// memory_panel.h.
#include <algorithm>

#include <fmt/format.h>

#include "viz/terminal/screen.h"
#include "viz/window/panels/memory_panel.h"

namespace flashscope::window::memory {
namespace {

// A card is wide, with two lines of text, or tall, with three: whichever needs less height. In a
// compact picture it has one line.
struct CardStyle {
  float width, widest, height;  // em
  int lines;
};
constexpr CardStyle kLine{7.8f, 14, 1.3f, 1}, kWide{10.2f, 14, 2.4f, 2},
    kTall{6.9f, 10.2f, 3.35f, 3};
bool is_in(const views::ChipTile& tile, Place place) { return tile.item.place == place; }

std::size_t count(const Frame& frame, Place place) {
  return static_cast<std::size_t>(
      std::count_if(frame.view.chip.begin(), frame.view.chip.end(),
                    [&](const views::ChipTile& tile) { return is_in(tile, place); }));
}

std::string extent(const BudgetItem& item) {
  std::string text = terminal::grouped(item.rows);
  return item.columns > 1 ? text + " × " + terminal::grouped(item.columns) : text;
}

std::string shape(const BudgetItem& item) {
  return fmt::format("{} {}", extent(item), name_of(item.format));
}

int cards_in_row(const Frame& frame, const CardStyle& style, float width) {
  const float gap = frame.card_gap();
  return std::max(1, static_cast<int>((width + gap) / (style.width * frame.em + gap)));
}

float height_in(const Frame& frame, Place place, const CardStyle& style, float width) {
  const auto in_row = static_cast<std::size_t>(cards_in_row(frame, style, width));
  const auto rows = static_cast<float>((count(frame, place) + in_row - 1) / in_row);
  return rows * (style.height * frame.em + frame.card_gap());
}

const CardStyle& card_style(const Frame& frame, Place place, float width) {
  if (frame.compact) return kLine;
  return height_in(frame, place, kWide, width) <= height_in(frame, place, kTall, width) ? kWide
                                                                                        : kTall;
}

void card_tooltip(const Frame& frame, const views::ChipTile& tile) {
  const BudgetItem& item = tile.item;
  ImGui::TextUnformatted(fmt::format("{}: {} in {}", item.buffer, shape(item),
                                     item.place == Place::shared ? "shared memory" : "registers")
                             .c_str());
  if (item.place == Place::shared) {
    ImGui::TextUnformatted(fmt::format("{} B at offset {} B", terminal::grouped(item.bytes),
                                       terminal::grouped(item.offset_bytes))
                               .c_str());
    if (item.stages > 1) {
      ImGui::TextUnformatted(
          fmt::format("{} stages: while one is computed on, the next tile is copied to another",
                      item.stages)
              .c_str());
    }
  } else {
    ImGui::TextUnformatted(fmt::format("{} B, shared out over {} threads: {} registers of 4 B each",
                                       terminal::grouped(item.bytes), frame.view.needs.threads,
                                       item.registers_per_thread)
                               .c_str());
  }
  ImGui::TextUnformatted(tile.holds.empty() ? "holds nothing of this work item yet"
                                            : fmt::format("holds {}", tile.holds).c_str());
  ImGui::TextDisabled("click: its numbers in the tile view");
}

// Name, size and contents: `| K  kv tile 3  16 KiB |`, or `| K      16 KiB |` over two more lines,
// or
// `| K  kv tile 3 |` over `| 64 × 64 fp16  16 KiB |`.
void draw_card_text(const Frame& frame, const views::ChipTile& tile, const Box& box, int lines) {
  const Theme& theme = frame.theme();
  const float em = frame.em, small = 0.14f * em;  // small text stands lower on a line
  const bool filled = !tile.holds.empty();
  const ImU32 ink = filled ? theme.text : theme.text_dim;
  const std::string holds = filled ? tile.holds : std::string("nothing yet");
  const std::string amount = tile.item.place == Place::shared
                                 ? short_bytes(tile.item.bytes)
                                 : fmt::format("{} reg", tile.item.registers_per_thread);
  const float x = box.min.x + 0.6f * em, right = box.max.x - 0.4f * em;
  float y = box.min.y + 0.12f * em;
  const auto right_text = [&](Font font, ImU32 color, const std::string& text, float left) {
    const float width = text_size(frame, font, text).x;
    if (right - width > left + 0.3f * em) {
      draw_text(frame, font, {right - width, y + small}, color, text);
    }
  };
  draw_text(frame, Font::mono, {x, y}, ink, tile.item.buffer);
  const float name_end = x + text_size(frame, Font::mono, tile.item.buffer).x;
  if (frame.context.selection.tile == tile.buffer) {
    frame.list->AddLine({x, y + 1.08f * em}, {name_end, y + 1.08f * em},
                        theme.tensor(tile.item.buffer), 0.13f * em);
  }
  if (lines == 1) {
    const float at = name_end + 0.5f * em;
    draw_text(frame, Font::sans_small, {at, y + small}, ink, holds);
    right_text(Font::mono_small, theme.text_dim, amount,
               at + text_size(frame, Font::sans_small, holds).x);
    return;
  }
  const bool tall = lines == 3;
  if (tall) {
    right_text(Font::mono_small, theme.text_dim, amount, name_end);
  } else {
    right_text(Font::sans_small, ink, holds, name_end);
  }
  y += 1.1f * em;
  std::string size = shape(tile.item);
  const float beside = tall ? 0 : text_size(frame, Font::mono_small, amount).x + 0.5f * em;
  // The format gives way to the bytes; the tooltip has it.
  if (x + text_size(frame, Font::mono_small, size).x + beside > right) size = extent(tile.item);
  draw_text(frame, Font::mono_small, {x, y}, theme.text_dim, size);
  if (tall) {
    draw_text(frame, Font::sans_small, {x, y + em}, ink, holds);
  } else {
    y -= small;
    right_text(Font::mono_small, theme.text_dim, amount,
               x + text_size(frame, Font::mono_small, size).x);
  }
}

void draw_card(Frame& frame, const views::ChipTile& tile, const Box& box, int lines) {
  const Theme& theme = frame.theme();
  const ImU32 color = theme.tensor(tile.item.buffer);
  const float em = frame.em, rounding = 0.25f * em;
  const bool filled = !tile.holds.empty();
  frame.list->AddRectFilled(box.min, box.max, tint(theme, color, filled ? 0.2f : 0.0f), rounding);
  frame.list->AddRectFilled(box.min, {box.min.x + 0.3f * em, box.max.y},
                            tint(theme, color, filled ? 1.0f : 0.35f), rounding,
                            ImDrawFlags_RoundLeft);
  const ImU32 edge = tile.is_written ? theme.accent : tile.is_read ? theme.text : theme.line;
  const bool used = tile.is_written || tile.is_read;
  frame.list->AddRect(box.min, box.max, edge, rounding,
                      used ? std::max(1.5f, 0.13f * em) : std::max(1.0f, 0.06f * em));
  frame.list->PushClipRect(box.min, box.max, true);
  draw_card_text(frame, tile, box, lines);
  frame.list->PopClipRect();

  ImGui::SetCursorScreenPos(box.min);
  const std::string id = "##chip_" + tile.item.buffer;
  if (ImGui::InvisibleButton(id.c_str(), {box.width(), box.height()}, ImGuiButtonFlags_EnableNav)) {
    frame.requests.selection = frame.context.selection;
    frame.requests.selection->tile = tile.buffer;
  }
  if (ImGui::IsItemFocused() && ImGui::GetIO().NavVisible) {
    frame.list->AddRect({box.min.x - 0.15f * em, box.min.y - 0.15f * em},
                        {box.max.x + 0.15f * em, box.max.y + 0.15f * em}, theme.accent, rounding);
  }
  if (ImGui::BeginItemTooltip()) {
    card_tooltip(frame, tile);
    ImGui::EndTooltip();
  }
}

}  // namespace

float cards_height(const Frame& frame, Place place, float width) {
  return height_in(frame, place, card_style(frame, place, width), width);
}

void draw_cards(Frame& frame, Place place, const Box& room) {
  const CardStyle& style = card_style(frame, place, room.width());
  const int in_row = cards_in_row(frame, style, room.width());
  const float gap = frame.card_gap(), height = style.height * frame.em;
  const float width =
      std::min((room.width() + gap) / static_cast<float>(in_row) - gap, style.widest * frame.em);
  frame.chip_tiles.resize(frame.view.chip.size());
  int n = 0;
  for (std::size_t index = 0; index < frame.view.chip.size(); ++index) {
    if (!is_in(frame.view.chip[index], place)) continue;
    const ImVec2 min{room.min.x + static_cast<float>(n % in_row) * (width + gap),
                     room.min.y + static_cast<float>(n / in_row) * (height + gap)};
    const Box box{min, {min.x + width, min.y + height}};
    frame.chip_tiles[index] = box;
    draw_card(frame, frame.view.chip[index], box, style.lines);
    ++n;
  }
}

}  // namespace flashscope::window::memory
