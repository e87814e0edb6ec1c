// The chip: shared memory with its allocation map to scale, and registers likewise; see
// memory_panel.h. The tiles in them are drawn by memory_panel_cards.cpp.
#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "viz/terminal/screen.h"
#include "viz/window/panels/memory_panel.h"

namespace flashscope::window::memory {
namespace {

float bar_height(const Frame& frame) { return (frame.compact ? 1.05f : 1.35f) * frame.em; }
float below_bar(const Frame& frame) { return (frame.compact ? 0.35f : 0.5f) * frame.em; }

// A bar whose used part would be thinner than this has a break before the free part.
constexpr float kSmallestPart = 0.12f, kBrokenPart = 0.7f;

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
    if (tile.item.place != place) continue;
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

// The allocation map. `amount`: a number of bytes or registers as text.
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
  return memory_title_height(frame) + bar_height(frame) + below_bar(frame) +
         reason_height(frame, place, inside) + cards_height(frame, place, inside);
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
  const bool holds_all =
      std::all_of(view.chip.begin(), view.chip.end(),
                  [](const views::ChipTile& tile) { return tile.item.place == Place::shared; });
  Box room =
      draw_memory(frame, box, "SRAM", holds_all ? "all tiles on chip" : "shared memory of a block",
                  number, fits ? theme.text : theme.bad,
                  "SRAM: the memory on the chip that the threads of one block share. The "
                  "limit is what\none block may have on the chosen device.");
  draw_bar(frame, {room.min, {room.max.x, room.min.y + bar_height(frame)}},
           parts(frame, Place::shared), view.needs.shared_bytes, view.shared_limit_bytes,
           short_bytes, "##shared_map",
           "Shared memory of a thread block, to scale: tiles lie one after another for the whole\n"
           "phase, each with all its stages.");
  room.min.y += bar_height(frame) + below_bar(frame);
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
  room.min.y += cards_height(frame, Place::registers, room.width());
  draw_bar(
      frame, {room.min, {room.max.x, room.min.y + bar_height(frame)}},
      parts(frame, Place::registers), view.needs.registers_per_thread, view.registers_limit,
      [](std::int64_t value) { return fmt::format("{}", value); }, "##register_map",
      "32-bit registers of one thread, to scale. Other: addresses, loop counters and\n"
      "temporaries, as assumed of every kernel.");
  room.min.y += bar_height(frame) + 0.3f * frame.em;
  if (!shows_reason(frame, Place::registers)) return;
  draw_text(frame, Font::sans_small, room.min, theme.bad, view.reason, room.width());
}

}  // namespace flashscope::window::memory
