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
  void draw_notes(const Context& context) const;
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
  ImGui::SetItemTooltip("Follow the ops: the tile that the last op of the step touched.");
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
  std::string place = view_->place() == Place::shared ? "in shared memory" : "in registers";
  if (const std::string where = view_->place_text(); !where.empty()) place += ": " + where;
  same_line_if_fits(ImGui::CalcTextSize(place.c_str()).x);
  ImGui::PushStyleColor(ImGuiCol_Text, theme.text_dim);
  ImGui::TextWrapped("%s", place.c_str());
  ImGui::PopStyleColor();
  draw_notes(context);
}

void TilePanel::draw_notes(const Context& context) const {
  const auto note = [](ImU32 ink, const char* text, const std::string& tooltip) {
    same_line_if_fits(ImGui::CalcTextSize(text).x);
    ImGui::TextColored(color(ink), "%s", text);
    ImGui::SetItemTooltip("%s", tooltip.c_str());
  };
  if (view_->is_written_next()) {
    const Session& session = context.session();
    const Line& line =
        context.program().algorithm().lines[static_cast<std::size_t>(session.next_op().line)];
    note(context.theme.accent, "before this op",
         "The next op, " + line.text + ", will write this tile: these are the values before it.");
  }
  if (view_->is_blank()) return;
  if (!view_->is_rounded()) {
    note(
        context.theme.text_dim, "not yet rounded",
        fmt::format("The cast to {} is still to come: these are fp32 values.", view_->precision()));
  }
  const bool of_keys =
      view_->row_side() == TileSide::keys || view_->column_side() == TileSide::keys;
  if (of_keys && view_->origin() && !view_->origin()->is_current &&
      view_->origin()->segment.part == Part::step) {
    note(context.theme.text_dim, "of the step before",
         "The step at hand has not written this tile yet.");
  }
}

void TilePanel::draw_map(const Context& context, Requests& requests, float height) {
  const Theme& theme = context.theme;
  const float font = ImGui::GetFontSize();
  const ImVec2 size{ImGui::GetContentRegionAvail().x, std::max(height, font * 4)};
  if (view_->is_blank()) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::Dummy(size);
    ImGui::GetWindowDrawList()->AddRect(at, at + size, theme.line);
    const std::string text = "Nothing has been written to " + view_->name() + " here yet.";
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
