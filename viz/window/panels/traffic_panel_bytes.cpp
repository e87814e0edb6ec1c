// The page "Bytes": what has passed per tensor and direction, and what the whole is held against;
// see traffic_panel_parts.h.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "viz/terminal/screen.h"
#include "viz/window/panels/figures.h"
#include "viz/window/panels/traffic_panel_parts.h"

namespace flashscope::window {
namespace {

using terminal::grouped;
using terminal::readable_bytes;

const char* name_of(Direction direction) { return direction == Direction::load ? "load" : "store"; }

const char* arrow_of(Direction direction) {
  return direction == Direction::load ? "HBM → SRAM" : "SRAM → HBM";
}

std::string percent(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return "–";
  return fmt::format("{:.3g} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string hidden_or(const Context& context, const std::string& text) {
  return context.numbers_hidden ? "?" : text;
}

std::int64_t sum(const views::TrafficView& view, Direction direction,
                 std::int64_t views::TrafficItem::*bytes) {
  std::int64_t result = 0;
  for (const views::TrafficItem& item : view.items) {
    if (item.direction == direction) result += item.*bytes;
  }
  return result;
}

std::string item_tip(const Context& context, const views::TrafficItem& item) {
  return fmt::format("{} {}, phase {}, {}\n{} B of {} B so far", name_of(item.direction),
                     item.tensor, item.phase, arrow_of(item.direction),
                     hidden_or(context, grouped(item.bytes)), grouped(item.whole_bytes));
}

// One bar for a direction: each tensor's share of the whole fills as its copies happen.
void draw_direction(const Context& context, const views::TrafficView& view, Direction direction) {
  const std::int64_t bytes = sum(view, direction, &views::TrafficItem::bytes);
  const std::int64_t whole = sum(view, direction, &views::TrafficItem::whole_bytes);
  const std::int64_t widest =
      std::max(sum(view, Direction::load, &views::TrafficItem::whole_bytes),
               sum(view, Direction::store, &views::TrafficItem::whole_bytes));
  draw_named_number(
      context.theme, arrow_of(direction),
      "Each tensor's part is as wide as all its copies over the whole program, and "
      "fills as they happen. Both bars have one scale.",
      fmt::format("{} of {}", hidden_or(context, readable_bytes(bytes)), readable_bytes(whole)),
      context.theme.text);
  std::vector<BarPart> parts;
  for (const views::TrafficItem& item : view.items) {
    if (item.direction != direction) continue;
    parts.push_back({item.tensor, static_cast<double>(item.whole_bytes),
                     context.numbers_hidden ? 0 : static_cast<double>(item.bytes),
                     context.theme.tensor(item.tensor), item_tip(context, item)});
  }
  draw_bar(context.theme, direction == Direction::load ? "##loads" : "##stores", parts,
           static_cast<double>(widest));
}

void draw_item(const Context& context, const views::TrafficItem& item, int columns) {
  const bool wide = columns == 4;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  draw_swatch(context.theme.tensor(item.tensor),
              fmt::format("{} {}", name_of(item.direction), item.tensor));
  tip(item_tip(context, item));
  draw_number_cell(context.theme,
                   hidden_or(context, wide ? grouped(item.bytes) : readable_bytes(item.bytes)));
  if (columns == 2) return;
  draw_number_cell(context.theme,
                   wide ? grouped(item.whole_bytes) : readable_bytes(item.whole_bytes),
                   context.theme.text_dim);
  if (!wide) return;
  draw_number_cell(context.theme, hidden_or(context, percent(item.bytes, item.whole_bytes)),
                   context.theme.text_dim);
}

void draw_items(const Context& context, const views::TrafficView& view) {
  const bool wide = is_wide(27);
  const int columns = wide ? 4 : (is_wide(19) ? 3 : 2);
  if (!ImGui::BeginTable("##tensors", columns, kFigureTable)) return;
  const std::array<ColumnHead, 4> heads = {
      ColumnHead{"", "", 1.1f},
      {wide ? "bytes so far" : "so far", "Before the next op.", wide ? 1.6f : 1.0f},
      {"in all", "Over the whole program.", wide ? 1.6f : 1.0f},
      {"done", "", 0.7f}};
  draw_heads(context.theme, std::span(heads).first(static_cast<std::size_t>(columns)));
  const bool phases = !view.items.empty() && view.items.front().phase != view.items.back().phase;
  std::string phase;
  for (const views::TrafficItem& item : view.items) {
    if (phases && item.phase != phase) {
      phase = item.phase;
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      draw_note(context.theme.text_dim, phase);
    }
    draw_item(context, item, columns);
  }
  ImGui::EndTable();
}

// A line of "held against": a name, bytes, a verdict.
void draw_comparison(const Context& context, const char* name, const std::string& explanation,
                     const std::string& bytes, const std::string& verdict, ImU32 color) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(name);
  tip(explanation);
  draw_number_cell(context.theme, bytes);
  ImGui::TableNextColumn();
  draw_note(color, verdict);
  tip(explanation);
}

std::string ratio_text(std::int64_t counted, std::int64_t formula) {
  if (counted == formula) return "equal";
  if (formula <= 0 || counted <= 0) return "";
  const double ratio = static_cast<double>(counted) / static_cast<double>(formula);
  return fmt::format("counted: {:.3g} ×", ratio);
}

void draw_comparisons(const Context& context, const views::TrafficView& view) {
  const Theme& theme = context.theme;
  draw_heading(theme, "The whole program");
  if (!ImGui::BeginTable("##against", 3, ImGuiTableFlags_SizingStretchProp)) return;
  const bool wide = is_wide(27);
  const auto text = [&](std::int64_t bytes) {
    return wide ? grouped(bytes) + " B" : readable_bytes(bytes);
  };
  ImGui::TableSetupColumn("name", 0, wide ? 1.1f : 1.25f);
  ImGui::TableSetupColumn("bytes", 0, wide ? 1.6f : 1.0f);
  ImGui::TableSetupColumn("verdict", 0, wide ? 2.3f : 1.1f);
  const std::int64_t counted = view.whole_bytes - view.whole_init_bytes;
  draw_comparison(context, "counted",
                  "Bytes of every tile copy of the program, each time it happens, in-bounds "
                  "elements only. Nothing is cached between copies.",
                  text(counted), "", theme.text_dim);
  if (view.whole_init_bytes > 0) {
    draw_comparison(context, "init, apart",
                    "fa1's first stores of O, m and l. The formulas leave them out, and so does "
                    "the line above.",
                    text(view.whole_init_bytes), "", theme.text_dim);
  }
  if (view.closed_form) {
    const bool equal = *view.closed_form == counted;
    draw_comparison(context, "closed form",
                    "The same total from a formula in N, d and the tile sizes, which shares "
                    "nothing with the counting: sums of tile rows × head_dim × bytes.",
                    text(*view.closed_form),
                    equal ? "✓ equal" : ratio_text(counted, *view.closed_form),
                    equal ? theme.good : theme.bad);
  } else {
    draw_comparison(context, "closed form", view.no_closed_form, "", "no closed form",
                    theme.text_dim);
  }
  if (view.paper) {
    draw_comparison(context, "paper", view.paper->name + ": " + view.paper->text,
                    text(view.paper->bytes),
                    view.paper->name + (wide ? "; " : "\n") +
                        (view.paper->order_of_growth ? "an order of growth"
                                                     : ratio_text(counted, view.paper->bytes)),
                    theme.text_dim);
  } else {
    draw_comparison(context, "paper", view.no_paper, "", "not stated for this", theme.text_dim);
  }
  ImGui::EndTable();
}

void draw_work(const Context& context, const views::TrafficView& view) {
  draw_heading(context.theme, "Arithmetic");
  if (!ImGui::BeginTable("##work", 3, kFigureTable)) return;
  constexpr std::array<ColumnHead, 3> kHeads = {ColumnHead{"", "", 1.8f},
                                                {"so far", "Before the next op."},
                                                {"in all", "Over the whole program."}};
  draw_heads(context.theme, kHeads);
  const auto row = [&](const char* name, const char* explanation, std::int64_t Work::*what) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(name);
    tip(explanation);
    draw_number_cell(context.theme, hidden_or(context, terminal::readable_count(view.work.*what)));
    draw_number_cell(context.theme, terminal::readable_count(view.whole_work.*what),
                     context.theme.text_dim);
  };
  row("matmul FLOPs", "2 for each multiply-add of Q K' and P V, masked elements included.",
      &Work::matmul_flops);
  row("exponentials", "One for each score of a visited tile, and one a row for alpha.",
      &Work::exponentials);
  row("rescales", "Rows of O that were multiplied by their factor.", &Work::rescales);
  ImGui::EndTable();
}

}  // namespace

void draw_bytes_page(const Context& context, const views::TrafficView& view) {
  if (!ImGui::BeginChild("##bytes_page")) {
    ImGui::EndChild();
    return;
  }
  draw_note(context.theme.text_dim, "simulated, HBM↔SRAM, no cache");
  tip("Every tile copy counts its bytes each time it happens: the papers' model of two levels. A "
      "real GPU's L2 serves part of these copies.");
  draw_direction(context, view, Direction::load);
  draw_direction(context, view, Direction::store);
  ImGui::Dummy(ImVec2(0, ImGui::GetFontSize() * 0.2f));
  draw_items(context, view);
  draw_comparisons(context, view);
  draw_work(context, view);
  ImGui::EndChild();
}

}  // namespace flashscope::window
