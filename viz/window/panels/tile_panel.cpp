// One on-chip tile at the position: its values as a heat map with numbers, what the mask hides, and
// the exact value of the element one points at. How cells are drawn is in tile_panel_drawing.cpp.
#include <algorithm>

#include <fmt/format.h>

#include "viz/window/panel.h"
#include "viz/window/panels/tile_panel_parts.h"

namespace flashscope::window {
namespace {

using views::TileSide;
using views::TileView;

ImVec4 color(ImU32 packed) { return ImGui::ColorConvertU32ToFloat4(packed); }

bool is_on_chip(const Algorithm& algorithm, int buffer) {
  return buffer >= 0 && buffer < static_cast<int>(algorithm.buffers.size()) &&
         algorithm.buffers[static_cast<std::size_t>(buffer)].place != Place::hbm;
}

// -1: the table keeps no tile on chip.
int shown_buffer(const Context& context) {
  const int chosen = context.selection.tile;
  return is_on_chip(context.program().algorithm(), chosen) ? chosen
                                                           : views::tile_at_hand(context.session());
}

class TilePanel final : public Panel {
 public:
  const char* title() const override { return "Tile"; }
  const char* summary() const override {
    return "The numbers of one on-chip tile, as a heat map, beside their exact values.";
  }
  void draw(const Context& context, Requests& requests) override;
  std::optional<views::Sheet> sheet(const Context& context) const override {
    const int buffer = shown_buffer(context);
    if (context.numbers_hidden || buffer < 0) return std::nullopt;
    return TileView(context.session(), buffer).sheet();
  }

 private:
  void update(const Context& context);
  void draw_choice(const Context& context, Requests& requests) const;
  void draw_heading(const Context& context) const;
  std::string contents() const;
  std::string blank_text(const Context& context) const;
  void draw_map(const Context& context, Requests& requests, float height);
  void draw_footer(const Context& context);

  std::optional<TileView> view_;
  std::uint64_t program_version_ = 0, state_version_ = 0;
  TileCanvas canvas_;
  TileHeatMap map_;
  float footer_height_ = 0;
  TilePointer pointer_;
};

void TilePanel::update(const Context& context) {
  if (program_version_ != context.program_version) {
    program_version_ = context.program_version;
    state_version_ = 0;
    view_.reset();
  }
  if (view_ && state_version_ == context.state_version) return;
  state_version_ = context.state_version;
  const int before = view_ ? view_->buffer() : -1;
  view_.reset();
  pointer_.forget_values();
  const int buffer = shown_buffer(context);
  if (buffer < 0) return;
  view_.emplace(context.session(), buffer);
  if (buffer == before) return;
  canvas_.fit();
  pointer_.forget_place();
}

void TilePanel::draw(const Context& context, Requests& requests) {
  update(context);
  if (!view_) {
    ImGui::TextWrapped("This table keeps no tile on chip.");
    return;
  }
  draw_choice(context, requests);
  draw_heading(context);
  draw_map(context, requests, ImGui::GetContentRegionAvail().y - footer_height_);
  // It may take several lines: as many as in the last frame.
  const float top = ImGui::GetCursorPosY();
  draw_footer(context);
  footer_height_ = ImGui::GetCursorPosY() - top;
}

void TilePanel::draw_choice(const Context& context, Requests& requests) const {
  const Algorithm& algorithm = context.program().algorithm();
  const bool is_auto = !is_on_chip(algorithm, context.selection.tile);
  const auto choose = [&](int buffer) {
    Selection selection = context.selection;
    selection.tile = buffer;
    requests.selection = selection;
  };
  if (choice_button("auto", is_auto, context.theme)) choose(-1);
  ImGui::SetItemTooltip(
      "Follow the ops: the tile that the next op goes on with if this step has written it, else "
      "the "
      "tile written last.");
  for (const int buffer : views::on_chip_buffers(algorithm)) {
    const Buffer& b = algorithm.buffers[static_cast<std::size_t>(buffer)];
    same_line_if_fits(ImGui::CalcTextSize(b.name.c_str()).x + ImGui::GetStyle().FramePadding.x * 2);
    const bool shown = buffer == view_->buffer();
    if (choice_button(b.name.c_str(), shown, context.theme, context.theme.tensor(b.name))) {
      choose(buffer);
    }
  }
}

void TilePanel::draw_heading(const Context& context) const {
  const Theme& theme = context.theme;
  const auto side = [](std::int64_t in_bounds, std::int64_t all) {
    return in_bounds == all ? fmt::format("{}", all) : fmt::format("{} of {}", in_bounds, all);
  };
  std::string text =
      ": " + std::string(view_->precision()) + ", " + side(view_->rows_in_bounds(), view_->rows());
  text += view_->column_side() == TileSide::none
              ? (view_->rows() == 1 ? " row" : " rows")
              : " × " + side(view_->columns_in_bounds(), view_->columns());
  ImGui::TextColored(color(theme.tensor(view_->name())), "%s", view_->name().c_str());
  ImGui::SameLine(0, 0);
  ImGui::TextUnformatted(text.c_str());
  ImGui::SetItemTooltip(
      "Number format of the tile's stage, and its size in rows × columns. The simulator keeps "
      "values of this format exactly.");
  std::string memory = view_->place() == Place::shared ? "in shared memory" : "in registers";
  const std::string state = contents();
  if (!state.empty()) memory += ": " + state;
  // In one line, which leaves out the memory where it has no room.
  const float after = ImGui::GetItemRectMax().x + ImGui::GetStyle().ItemSpacing.x;
  const float end = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  const bool is_short = after + ImGui::CalcTextSize(memory.c_str()).x > end;
  const std::string& shown = is_short && !state.empty() ? state : memory;
  same_line_if_fits(ImGui::CalcTextSize(shown.c_str()).x);
  ImGui::TextColored(color(theme.text_dim), "%s", shown.c_str());
  ImGui::SetItemTooltip(
      "%s. Of the step before: the step at hand has not written this tile yet. Before this op: the "
      "next op writes it. Not yet rounded: its cast is still to come, these are fp32 values.",
      memory.c_str());
}

// "kv tile 0, of the step before": whose values they are, and the one thing to know of them.
std::string TilePanel::contents() const {
  if (view_->is_blank()) return "";
  std::string text = view_->place_text();
  const auto add = [&](const char* note) {
    text += (text.empty() ? "" : ", ") + std::string(note);
  };
  const bool of_keys =
      view_->row_side() == TileSide::keys || view_->column_side() == TileSide::keys;
  const auto& origin = view_->origin();
  if (of_keys && origin && !origin->is_current && origin->segment.part == Part::step) {
    add("of the step before");
  } else if (!view_->is_rounded()) {
    add("not yet rounded");
  } else if (view_->is_written_next()) {
    add("before this op");
  }
  return text;
}

// Why there is nothing to see.
std::string TilePanel::blank_text(const Context& context) const {
  if (!view_->is_written_next())
    return "Nothing has been written to " + view_->name() + " here yet.";
  const auto line = static_cast<std::size_t>(context.session().next_op().line);
  const bool loads = context.program().algorithm().lines[line].kind == LineKind::load;
  return fmt::format("{} is {} by this op.", view_->name(), loads ? "loaded" : "written");
}

void TilePanel::draw_map(const Context& context, Requests& requests, float height) {
  const Theme& theme = context.theme;
  const float font = ImGui::GetFontSize();
  const ImVec2 size{ImGui::GetContentRegionAvail().x, std::max(height, font * 4)};
  if (view_->is_blank()) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::Dummy(size);
    ImGui::GetWindowDrawList()->AddRect(at, at + size, theme.line);
    const std::string text = blank_text(context);
    const float wrap = size.x - font * 2;
    const ImVec2 extent = ImGui::CalcTextSize(text.c_str(), nullptr, false, wrap);
    ImGui::GetWindowDrawList()->AddText(ImGui::GetFont(), font,
                                        at + (size - extent) * ImVec2(0.5f, 0.5f), theme.text_dim,
                                        text.c_str(), nullptr, wrap);
    return;
  }
  const TileArrangement arrangement = TileArrangement::of(*view_, size);
  AxisLabels rows, columns;
  rows.count = arrangement.rows;
  columns.count = arrangement.columns;
  if (arrangement.folded == 0) {
    rows.offset = context.program().group() > 1 ? 0 : view_->first_row();
    columns.offset = view_->first_column();
    rows.name = [&](std::int64_t n) { return view_->row_label(n); };
    if (view_->column_side() != TileSide::none) {
      columns.name = [&](std::int64_t n) { return view_->column_label(n); };
    }
  }
  const ImVec2 margin = arrangement.folded > 0 ? ImVec2(0, 0) : label_margin(theme, rows, columns);
  const CanvasFrame frame = canvas_.begin("##tile", size, margin, arrangement.rows,
                                          arrangement.columns, arrangement.folded > 0 ? 40 : 3.5);
  pointer_.move(arrangement, frame, canvas_);
  map_.draw(context, *view_, arrangement, frame);
  const auto pointed = pointer_.cell();
  if (pointed) {
    rows.strong = pointed->first;
    columns.strong = pointed->second;
  }
  draw_row_labels(frame, theme, rows);
  draw_column_labels(frame, theme, columns);
  const std::string corner = arrangement.folded > 0 ? "" : name_of(view_->row_side());
  if (columns.name && ImGui::CalcTextSize(corner.c_str()).x < margin.x - font * 0.4f) {
    ImGui::GetWindowDrawList()->AddText({frame.corner.x, frame.min.y - font * 1.15f},
                                        theme.text_dim, corner.c_str());
  }
  if (frame.clicked && view_->row_side() == TileSide::query_rows && view_->origin()) {
    if (const auto element = arrangement.element(frame.hovered->first, frame.hovered->second)) {
      Selection selection = context.selection;
      selection.rows = {context.program().q_rows(view_->origin()->segment).begin + element->first};
      if (element->first < view_->rows_in_bounds()) requests.selection = selection;
    }
  }
  pointer_.draw(context, *view_, arrangement, frame, map_.bin());
}

void TilePanel::draw_footer(const Context& context) {
  const Theme& theme = context.theme;
  const float font = ImGui::GetFontSize(), height = ImGui::GetFrameHeight();
  const ImGuiStyle& style = ImGui::GetStyle();
  const float available = ImGui::GetContentRegionAvail().x;
  if (!view_->is_blank()) {
    draw_color_bar(theme, *view_, context.numbers_hidden, std::min(available, font * 20));
    ImGui::SetItemTooltip(
        "The range of the finite values that count: in bounds, and not hidden by the mask. Where "
        "both signs occur the colours are symmetric about zero.");
    const auto swatch = [&](ImU32 fill, const char* text) {
      same_line_if_fits(height * 0.8f + ImGui::CalcTextSize(text).x);
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const ImVec2 min = at + ImVec2(0, height * 0.25f);
      const ImVec2 max = at + ImVec2(height * 0.5f, height * 0.75f);
      ImDrawList& draw = *ImGui::GetWindowDrawList();
      if (fill != 0) {
        draw.AddRectFilled(min, max, fill);
      } else {
        draw_hatch(draw, min, max, theme.text_dim, font * 0.3f);
      }
      draw.AddRect(min, max, theme.line);
      ImGui::Dummy({height * 0.5f, height});
      ImGui::SameLine(0, font * 0.3f);
      ImGui::AlignTextToFramePadding();
      ImGui::TextUnformatted(text);
    };
    const bool past_end =
        view_->rows_in_bounds() < view_->rows() || view_->columns_in_bounds() < view_->columns();
    if (view_->has_hidden() || past_end) {
      swatch(0, !view_->has_hidden() ? "past the end"
                : past_end           ? "masked, past the end"
                                     : "masked");
    }
    if (!context.numbers_hidden) {
      if (view_->has_nan()) swatch(nan_color(theme), "nan");
      if (view_->has_minus_infinity()) swatch(minus_infinity_color(theme), "-inf");
      if (view_->has_plus_infinity()) swatch(plus_infinity_color(theme), "+inf");
    }
  }
  const float square = height;
  const float buttons = square * 2 + ImGui::CalcTextSize("Fit").x + style.FramePadding.x * 2 +
                        style.ItemSpacing.x * 2;
  if (!view_->is_blank()) same_line_if_fits(buttons);
  const float room = ImGui::GetContentRegionAvail().x - buttons;
  if (room > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
  if (ImGui::Button("−", {square, square})) canvas_.zoom_by(0.8);
  ImGui::SetItemTooltip("Zoom out (key -, mouse wheel).");
  ImGui::SameLine();
  if (ImGui::Button("+", {square, square})) canvas_.zoom_by(1.25);
  ImGui::SetItemTooltip(
      "Zoom in (key +, mouse wheel): numbers appear where they fit. Drag to move.");
  ImGui::SameLine();
  ImGui::BeginDisabled(canvas_.is_fitted());
  if (ImGui::Button("Fit")) canvas_.fit();
  ImGui::EndDisabled();
  ImGui::SetItemTooltip(
      "The whole tile (key 0). Shift and an arrow point at a cell as the mouse does.");
}

}  // namespace

std::unique_ptr<Panel> make_tile_panel() { return std::make_unique<TilePanel>(); }

}  // namespace flashscope::window
