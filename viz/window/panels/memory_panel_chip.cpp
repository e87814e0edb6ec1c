// The chip: shared memory with its allocation map to scale, registers likewise, and a card for each
// tile that lies there; see memory_panel.h.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "viz/terminal/screen.h"
#include "viz/window/panels/memory_panel.h"

namespace flashscope::window::memory {
namespace {

constexpr float kCardGap = 0.7f;  // em, as all sizes here
constexpr float kBarHeight = 1.35f;
constexpr float kBelowBar = 0.5f;

// A card is wide, with two lines of text, or tall, with three: whichever needs less height.
struct CardStyle {
  float width, widest, height;
  bool tall;
};
constexpr CardStyle kWide{10.2f, 14, 2.4f, false}, kTall{6.9f, 10.2f, 3.35f, true};
// A bar whose used part would be thinner than this has a break before the free part.
constexpr float kSmallestPart = 0.12f, kBrokenPart = 0.7f;

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

// One buffer's part of a bar: in bytes, or in registers of a thread.
struct Part {
  std::string name;
  ImU32 color;
  std::int64_t begin, size, stages;
};

std::vector<Part> parts(const Frame& frame, Place place) {
  std::vector<Part> result;
  std::int64_t next = 0;
  if (place == Place::registers) {
    result.push_back({"other", frame.theme().line, 0, kOverheadRegisters, 1});
    next = kOverheadRegisters;
  }
  for (const views::ChipTile& tile : frame.view.chip) {
    if (!is_in(tile, place)) continue;
    const ImU32 color = frame.theme().tensor(tile.item.buffer);
    if (place == Place::shared) {
      result.push_back(
          {tile.item.buffer, color, tile.item.offset_bytes, tile.item.bytes, tile.item.stages});
    } else {
      result.push_back({tile.item.buffer, color, next, tile.item.registers_per_thread, 1});
      next += tile.item.registers_per_thread;
    }
  }
  return result;
}

// Slanted lines: what is beyond a limit.
void hatch(const Frame& frame, const Box& box, ImU32 color) {
  frame.list->PushClipRect(box.min, box.max, true);
  const float step = 0.5f * frame.em;
  for (float x = box.min.x - box.height(); x < box.max.x; x += step) {
    frame.list->AddLine({x, box.max.y}, {x + box.height(), box.min.y}, color,
                        std::max(1.0f, 0.06f * frame.em));
  }
  frame.list->PopClipRect();
}

void draw_part(const Frame& frame, const Part& part, const Box& box) {
  const Theme& theme = frame.theme();
  const ImU32 fill = tint(theme, part.color, 0.75f);
  frame.list->AddRectFilled(box.min, box.max, fill);
  for (std::int64_t stage = 1; stage < part.stages; ++stage) {
    const float x =
        box.min.x + box.width() * static_cast<float>(stage) / static_cast<float>(part.stages);
    frame.list->AddLine({x, box.min.y}, {x, box.max.y}, theme.background,
                        std::max(1.0f, 0.05f * frame.em));
  }
  frame.list->AddRect(box.min, box.max, theme.background, 0, std::max(1.0f, 0.06f * frame.em));
  const float stage = box.width() / static_cast<float>(std::max<std::int64_t>(part.stages, 1));
  const ImVec2 size = text_size(frame, Font::mono_small, part.name);
  if (size.x + 0.3f * frame.em > stage) return;
  draw_text(frame, Font::mono_small,
            {box.min.x + (stage - size.x) / 2, (box.min.y + box.max.y - size.y) / 2},
            Theme::ink_on(fill), part.name);
}

// The allocation map. `unit`: what follows a number.
void draw_bar(const Frame& frame, const Box& box, const std::vector<Part>& blocks,
              std::int64_t used, std::int64_t limit,
              const std::function<std::string(std::int64_t)>& amount, const char* id,
              const char* explanation) {
  const Theme& theme = frame.theme();
  frame.list->AddRectFilled(box.min, box.max, theme.empty_tile);
  const auto whole = static_cast<double>(std::max<std::int64_t>({used, limit, 1}));
  const bool broken = used < limit && static_cast<double>(used) < kSmallestPart * whole;
  const double scale =
      broken ? kBrokenPart / static_cast<double>(std::max<std::int64_t>(used, 1)) : 1 / whole;
  const auto place = [&](std::int64_t value) {
    return box.min.x + static_cast<float>(static_cast<double>(value) * scale) * box.width();
  };
  for (const Part& part : blocks) {
    if (part.size == 0) continue;
    draw_part(frame, part,
              {{place(part.begin), box.min.y},
               {std::max(place(part.begin + part.size), place(part.begin) + 1), box.max.y}});
  }
  const float end = place(used);
  if (used > limit) {
    const Box beyond{{place(limit), box.min.y}, box.max};
    hatch(frame, beyond, theme.bad);
    frame.list->AddRect(beyond.min, beyond.max, theme.bad, 0, 0.12f * frame.em);
  } else {
    const std::string text = amount(limit - used) + " free";
    const ImVec2 size = text_size(frame, Font::mono_small, text);
    const float left = end + (broken ? 1.2f : 0.4f) * frame.em;
    if (left + size.x < box.max.x) {
      draw_text(frame, Font::mono_small, {left, (box.min.y + box.max.y - size.y) / 2},
                theme.text_dim, text);
    }
  }
  frame.list->AddRect(box.min, box.max, theme.line);
  if (broken) {  // two slanted strokes: from here on not to scale
    for (const float x : {end + 0.45f * frame.em, end + 0.75f * frame.em}) {
      frame.list->AddLine({x - 0.2f * frame.em, box.max.y + 0.15f * frame.em},
                          {x + 0.2f * frame.em, box.min.y - 0.15f * frame.em}, theme.text_dim,
                          std::max(1.0f, 0.07f * frame.em));
    }
  }

  ImGui::SetCursorScreenPos(box.min);
  ImGui::InvisibleButton(id, {std::max(box.width(), 1.0f), box.height()});
  if (!ImGui::BeginItemTooltip()) return;
  ImGui::TextUnformatted(explanation);
  for (const Part& part : blocks) {
    ImGui::TextUnformatted(
        fmt::format("{}: {}, from {} on", part.name, amount(part.size), amount(part.begin))
            .c_str());
  }
  if (broken) ImGui::TextDisabled("The free part, behind the break, is not to scale.");
  ImGui::EndTooltip();
}

int cards_in_row(const Frame& frame, const CardStyle& style, float width) {
  return std::max(
      1, static_cast<int>((width + kCardGap * frame.em) / ((style.width + kCardGap) * frame.em)));
}

float cards_height(const Frame& frame, Place place, const CardStyle& style, float width) {
  const auto in_row = static_cast<std::size_t>(cards_in_row(frame, style, width));
  const auto rows = static_cast<float>((count(frame, place) + in_row - 1) / in_row);
  return rows * (style.height + kCardGap) * frame.em;
}

const CardStyle& card_style(const Frame& frame, Place place, float width) {
  return cards_height(frame, place, kWide, width) <= cards_height(frame, place, kTall, width)
             ? kWide
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

// Name, size and contents: `| K      16 KiB |` over two more lines, or
// `| K  kv tile 3 |` over `| 64 × 64 fp16  16 KiB |`.
void draw_card_text(const Frame& frame, const views::ChipTile& tile, const Box& box, bool tall) {
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

void draw_card(Frame& frame, const views::ChipTile& tile, const Box& box, bool tall) {
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
  draw_card_text(frame, tile, box, tall);
  frame.list->PopClipRect();

  ImGui::SetCursorScreenPos(box.min);
  const std::string id = "##chip/" + tile.item.buffer;
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

void draw_cards(Frame& frame, Place place, const Box& room) {
  const CardStyle& style = card_style(frame, place, room.width());
  const int in_row = cards_in_row(frame, style, room.width());
  const float gap = kCardGap * frame.em, height = style.height * frame.em;
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
    draw_card(frame, frame.view.chip[index], box, style.tall);
    ++n;
  }
}

// Why it does not fit stands below the bar of what is too full; the budget names one reason, shared
// memory before registers.
bool shows_reason(const Frame& frame, Place place) {
  const bool shared_fits = frame.view.shared_fits();
  return place == Place::shared ? !shared_fits : shared_fits && !frame.view.registers_fit();
}

float reason_height(const Frame& frame, Place place, float width) {
  if (!shows_reason(frame, place)) return 0;
  return text_size(frame, Font::sans_small, frame.view.reason, width).y + 0.4f * frame.em;
}

float memory_height(const Frame& frame, Place place, float width) {
  const float inside = width - 1.2f * frame.em;
  return memory_title_height(frame) + (kBarHeight + kBelowBar) * frame.em +
         reason_height(frame, place, inside) +
         cards_height(frame, place, card_style(frame, place, inside), inside);
}

}  // namespace

float shared_height(const Frame& frame, float width) {
  return memory_height(frame, Place::shared, width);
}

float registers_height(const Frame& frame, float width) {
  if (frame.view.needs.registers_per_thread == 0) return 0;
  return memory_height(frame, Place::registers, width);
}

void draw_shared(Frame& frame, const Box& box) {
  const views::MemoryView& view = frame.view;
  const bool fits = view.shared_fits();
  const Theme& theme = frame.theme();
  const std::string number = fmt::format("{} of {}", short_bytes(view.needs.shared_bytes),
                                         short_bytes(view.shared_limit_bytes));
  const bool holds_all = count(frame, Place::shared) == view.chip.size();
  Box room =
      draw_memory(frame, box, "SRAM", holds_all ? "all tiles on chip" : "shared memory of a block",
                  number, fits ? theme.text : theme.bad,
                  "SRAM: the memory on the chip that the threads of one block share. The "
                  "limit is what\none block may have on the chosen device.");
  draw_bar(frame, {room.min, {room.max.x, room.min.y + kBarHeight * frame.em}},
           parts(frame, Place::shared), view.needs.shared_bytes, view.shared_limit_bytes,
           short_bytes, "##shared_map",
           "Shared memory of a thread block, to scale: tiles lie one after another for the whole\n"
           "phase, each with all its stages.");
  room.min.y += (kBarHeight + kBelowBar) * frame.em;
  if (shows_reason(frame, Place::shared)) {
    draw_text(frame, Font::sans_small, room.min, theme.bad, view.reason, room.width());
    room.min.y += reason_height(frame, Place::shared, room.width());
  }
  draw_cards(frame, Place::shared, room);
}

// The cards stand above the bar, where the tiles of shared memory flow in.
void draw_registers(Frame& frame, const Box& box) {
  const views::MemoryView& view = frame.view;
  const bool fits = view.registers_fit();
  const Theme& theme = frame.theme();
  Box room = draw_memory(
      frame, box, "Registers", fmt::format("of each of {} threads", view.needs.threads),
      fmt::format("{} of {}", view.needs.registers_per_thread, view.registers_limit),
      fits ? theme.text : theme.bad,
      "Registers: 32-bit, each thread's own. A tile here is shared out over the threads of the "
      "block;\na vector's entry is kept by each of the four threads that hold its row.");
  draw_cards(frame, Place::registers, room);
  room.min.y += cards_height(frame, Place::registers,
                             card_style(frame, Place::registers, room.width()), room.width());
  draw_bar(
      frame, {room.min, {room.max.x, room.min.y + kBarHeight * frame.em}},
      parts(frame, Place::registers), view.needs.registers_per_thread, view.registers_limit,
      [](std::int64_t value) { return fmt::format("{}", value); }, "##register_map",
      "32-bit registers of one thread, to scale. Other: addresses, loop counters and\n"
      "temporaries, as assumed of every kernel.");
  room.min.y += (kBarHeight + 0.3f) * frame.em;
  if (!shows_reason(frame, Place::registers)) return;
  draw_text(frame, Font::sans_small, room.min, theme.bad, view.reason, room.width());
}

}  // namespace flashscope::window::memory
