// The score matrix of the head at hand as a map of tiles, with what is done, current and to come.
// Clicking a tile goes to its step. How the cells look is in tile_map_drawing.cpp.
#include <fmt/format.h>

#include "viz/terminal/screen.h"
#include "viz/window/panel.h"
#include "viz/window/panels/tile_map_drawing.h"

namespace flashscope::window {
namespace {

using terminal::grouped;
using views::TileMapView;
using views::TileState;

std::string range_text(IndexRange range) {
  return range.size() == 1 ? fmt::format("{}", range.begin)
                           : fmt::format("{}–{}", range.begin, range.end - 1);
}

// On the line of the item before it where it fits, unless it is the first.
void swatch(const Theme& theme, bool is_first, ImU32 color, const std::string& text,
            const char* tooltip) {
  const float size = ImGui::GetFontSize();
  if (!is_first) same_line_if_fits(size * 1.3f + ImGui::CalcTextSize(text.c_str()).x);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 min = at + ImVec2(0, size * 0.15f), max = at + ImVec2(size * 0.8f, size * 0.95f);
  draw.AddRectFilled(min, max, color);
  draw.AddRect(min, max, theme.line);
  ImGui::Dummy({size, size});
  ImGui::SameLine(0, size * 0.2f);
  ImGui::TextUnformatted(text.c_str());
  ImGui::SetItemTooltip("%s", tooltip);
}

class TileMapPanel final : public Panel {
 public:
  const char* title() const override { return "Tile map"; }
  const char* summary() const override {
    return "Which tiles of the score matrix are empty, partial or full, and which are done.";
  }
  void draw(const Context& context, Requests& requests) override;
  std::optional<views::Sheet> sheet(const Context& context) const override {
    // The view may be of another program: it is made anew only when the panel is drawn.
    const Segment& here = context.session().segment();
    const bool chosen = chosen_phase_ >= 0 && program_version_ == context.program_version;
    const int phase = chosen ? chosen_phase_ : TileMapView::phase_at(context.program(), here);
    return TileMapView(context.program(), phase, here.batch, here.head)
        .sheet(context.session().position());
  }

 private:
  void update(const Context& context);
  void draw_head(const Context& context, Requests& requests);
  void draw_phase(const Context& context);
  void draw_map(const Context& context, Requests& requests, float height);
  void draw_legend(const Context& context);
  void tooltip(const Context& context, std::int64_t i, std::int64_t j) const;
  void move_by_keys(const Context& context, Requests& requests);
  void go_to_head(const Context& context, Requests& requests, std::int64_t head_index) const;

  std::optional<TileMapView> view_;
  std::uint64_t program_version_ = 0;
  std::vector<int> phases_;
  int chosen_phase_ = -1;  // -1: that of the position
  bool follows_ = true;
  std::optional<std::pair<std::int64_t, std::int64_t>> followed_;
  TileCanvas canvas_;
  TileMapDrawing drawing_;
  float legend_height_ = 0;
};

void TileMapPanel::update(const Context& context) {
  const Program& program = context.program();
  const Segment& segment = context.session().segment();
  if (!view_ || program_version_ != context.program_version) {
    program_version_ = context.program_version;
    phases_ = TileMapView::phases_with_tiles(program);
    chosen_phase_ = -1;
    view_.reset();
    canvas_.fit();
  }
  const int phase = chosen_phase_ >= 0 ? chosen_phase_ : TileMapView::phase_at(program, segment);
  if (!view_ || view_->phase() != phase || view_->batch() != segment.batch ||
      view_->head() != segment.head) {
    view_.emplace(program, phase, segment.batch, segment.head);
    drawing_.forget();
  }
}

void TileMapPanel::draw(const Context& context, Requests& requests) {
  update(context);
  draw_head(context, requests);
  draw_phase(context);
  if (view_->q_tiles() == 0 || view_->kv_tiles() == 0) {
    ImGui::TextWrapped("There are no tiles: the problem has no %s.",
                       view_->q_tiles() == 0 ? "query rows" : "keys");
    return;
  }
  draw_map(context, requests, ImGui::GetContentRegionAvail().y - legend_height_);
  // It may take several lines: as many as in the last frame.
  const float top = ImGui::GetCursorPosY();
  draw_legend(context);
  legend_height_ = ImGui::GetCursorPosY() - top;
}

void TileMapPanel::go_to_head(const Context& context, Requests& requests,
                              std::int64_t head_index) const {
  const Program& program = context.program();
  const std::int64_t batch = head_index / program.heads(), head = head_index % program.heads();
  if (view_->phase() < 0) return;
  const IndexRange ops = program.ops_of_head(view_->phase(), batch, head);
  if (ops.begin < program.size()) requests.go_to = ops.begin;
  // The same tile, where that head visits it.
  const Segment& here = context.session().segment();
  if (here.q_tile < 0 || here.kv_tile < 0) return;
  const TileMapView there(program, view_->phase(), batch, head);
  const views::TileMapCell cell = there.cell(here.q_tile, here.kv_tile, 0);
  if (cell.op >= 0) requests.go_to = cell.op;
}

void TileMapPanel::draw_head(const Context& context, Requests& requests) {
  const Program& program = context.program();
  const std::int64_t heads = program.heads(), batch = program.problem().batch;
  const std::int64_t index = view_->batch() * heads + view_->head();
  ImGui::AlignTextToFramePadding();
  if (heads * batch > 1) {
    ImGui::BeginDisabled(index == 0);
    if (ImGui::ArrowButton("##previous_head", ImGuiDir_Left)) {
      go_to_head(context, requests, index - 1);
    }
    ImGui::EndDisabled();
    ImGui::SetItemTooltip("To the same tile of the head before.");
    ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
    ImGui::BeginDisabled(index + 1 >= heads * batch);
    if (ImGui::ArrowButton("##next_head", ImGuiDir_Right)) {
      go_to_head(context, requests, index + 1);
    }
    ImGui::EndDisabled();
    ImGui::SetItemTooltip("To the same tile of the next head.");
    ImGui::SameLine();
  }
  const char* what = program.group() > 1 ? "kv head" : "head";
  std::string text = fmt::format("{} {} of {}", what, view_->head(), heads);
  if (batch > 1) text = fmt::format("batch {} of {}, ", view_->batch(), batch) + text;
  ImGui::TextUnformatted(text.c_str());
  ImGui::SetItemTooltip(
      program.group() > 1
          ? "The map of one kv head, whose q heads share the rows. Heads are counted from 0."
          : "The map of one head. Heads are counted from 0.");

  const ImGuiStyle& style = ImGui::GetStyle();
  const float buttons = ImGui::CalcTextSize("Fit").x + ImGui::CalcTextSize("Follow").x +
                        style.FramePadding.x * 4 + style.ItemSpacing.x;
  same_line_if_fits(buttons);
  const float room = ImGui::GetContentRegionAvail().x - buttons;
  if (room > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
  ImGui::BeginDisabled(canvas_.is_fitted());
  if (ImGui::Button("Fit")) canvas_.fit();
  ImGui::EndDisabled();
  ImGui::SetItemTooltip(
      "The whole matrix (key 0). Zoom: mouse wheel, or + and -; drag to move. Shift and an arrow "
      "go to the neighbouring visited tile.");
  ImGui::SameLine();
  if (choice_button("Follow", follows_, context.theme)) follows_ = !follows_;
  ImGui::SetItemTooltip("Keep the current tile in view when zoomed in.");
}

void TileMapPanel::draw_phase(const Context& context) {
  if (phases_.size() < 2) return;
  const std::vector<Phase>& phases = context.program().algorithm().phases;
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("phase");
  ImGui::SetItemTooltip("This table visits the tiles in several phases, one kernel each.");
  for (const int phase : phases_) {
    const char* name = phases[static_cast<std::size_t>(phase)].name.c_str();
    same_line_if_fits(ImGui::CalcTextSize(name).x + ImGui::GetStyle().FramePadding.x * 2);
    if (choice_button(name, phase == view_->phase(), context.theme,
                      chosen_phase_ == phase ? context.theme.accent : 0)) {
      chosen_phase_ = chosen_phase_ == phase ? -1 : phase;
    }
    ImGui::SetItemTooltip("%s", chosen_phase_ == phase
                                    ? "This phase is held. Click to follow the position again."
                                    : "Hold this phase, wherever the position is.");
  }
}

void TileMapPanel::draw_map(const Context& context, Requests& requests, float height) {
  const Segment& here = context.session().segment();
  const bool shown_here = here.phase == view_->phase() || view_->phase() < 0;
  AxisLabels rows, columns;
  rows.count = view_->q_tiles();
  rows.name = [](std::int64_t i) { return fmt::format("{}", i); };
  rows.strong = shown_here ? here.q_tile : -1;
  columns = rows;
  columns.count = view_->kv_tiles();
  columns.strong = shown_here ? here.kv_tile : -1;

  const Theme& theme = context.theme;
  const ImVec2 cell = canvas_.cell_size();
  const auto rows_of = [&](std::int64_t i) { return range_text(view_->rows_of(i)); };
  const auto keys_of = [&](std::int64_t j) { return range_text(view_->keys_of(j)); };
  if (rows_have_details(theme, cell.y)) rows.detail = rows_of;
  if (columns_have_details(theme, cell.x, keys_of(columns.count - 1))) columns.detail = keys_of;

  const float font = ImGui::GetFontSize();
  constexpr const char *kAcross = "kv tile →", *kDown = "q tile ↓";
  const float title = ImGui::CalcTextSize(kAcross).x + font * 0.5f;
  const ImVec2 margin{std::max(label_margin(theme, rows, columns).x, title), font * 2.3f};
  const ImVec2 size{ImGui::GetContentRegionAvail().x, std::max(height, font * 4)};
  const std::pair current{here.q_tile, here.kv_tile};
  if (here.q_tile >= 0 && here.kv_tile >= 0 && followed_ != current) {
    followed_ = current;
    if (follows_) canvas_.show(here.q_tile, here.kv_tile);
  }
  const CanvasFrame frame =
      canvas_.begin("##tile_map", size, margin, view_->q_tiles(), view_->kv_tiles(), 2.5);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddText({frame.min.x - title, frame.min.y - font * 2.2f}, theme.text_dim, kAcross);
  draw.AddText({frame.min.x - title, frame.min.y - font * 1.15f}, theme.text_dim, kDown);
  drawing_.draw(context, *view_, frame);
  draw_column_labels(frame, theme, columns);
  draw_row_labels(frame, theme, rows);

  if (frame.hovered) {
    const auto [i, j] = *frame.hovered;
    if (ImGui::BeginTooltip()) {
      tooltip(context, i, j);
      ImGui::EndTooltip();
    }
    const std::int64_t op = view_->cell(i, j, 0).op;
    if (frame.clicked && op >= 0) requests.go_to = op;
  }
  move_by_keys(context, requests);
}

// With Shift: plain arrows step through the program, whatever has the focus.
void TileMapPanel::move_by_keys(const Context& context, Requests& requests) {
  struct Move {
    ImGuiKey key;
    int q_step, kv_step;
  };
  constexpr Move kMoves[] = {{ImGuiKey_UpArrow, -1, 0},
                             {ImGuiKey_DownArrow, 1, 0},
                             {ImGuiKey_LeftArrow, 0, -1},
                             {ImGuiKey_RightArrow, 0, 1}};
  const Segment& here = context.session().segment();
  for (const Move& move : kMoves) {
    if (!ImGui::Shortcut(ImGuiMod_Shift | move.key, ImGuiInputFlags_Repeat)) continue;
    const auto there =
        view_->neighbour(std::max<std::int64_t>(here.q_tile, 0),
                         std::max<std::int64_t>(here.kv_tile, 0), move.q_step, move.kv_step);
    if (there) requests.go_to = view_->cell(there->first, there->second, 0).op;
  }
}

void TileMapPanel::tooltip(const Context& context, std::int64_t i, std::int64_t j) const {
  const views::TileMapCell cell = view_->cell(i, j, context.session().position());
  const IndexRange rows = view_->rows_of(i), keys = view_->keys_of(j);
  const std::int64_t group = context.program().group();
  ImGui::Text("q tile %s × kv tile %s", grouped(i).c_str(), grouped(j).c_str());
  ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(context.theme.text_dim), "%srows %s, keys %s",
                     group > 1 ? "packed " : "", range_text(rows).c_str(),
                     range_text(keys).c_str());
  const std::int64_t elements = rows.size() * keys.size();
  const std::optional<std::int64_t> visible = view_->visible_elements(i, j);
  const std::string name(name_of(cell.tile_class));
  if (cell.tile_class == TileClass::empty) {
    ImGui::TextUnformatted("empty: no element is visible");
  } else if (visible) {
    ImGui::Text("%s: %s of %s elements are visible", name.c_str(), grouped(*visible).c_str(),
                grouped(elements).c_str());
  } else {
    ImGui::Text("%s, of %s elements", name.c_str(), grouped(elements).c_str());
  }
  if (cell.visits == 0) {
    ImGui::TextUnformatted(cell.tile_class == TileClass::empty
                               ? "No step visits it."
                               : "No step visits it: the loop's bounds leave it out.");
    return;
  }
  constexpr const char* kStates[] = {"never", "to come", "current", "done"};
  ImGui::Text("%s: step %s of %s of this head, from op %s",
              kStates[static_cast<std::size_t>(cell.state)], grouped(cell.order + 1).c_str(),
              grouped(view_->visits()).c_str(), grouped(cell.op).c_str());
  if (cell.visits > 1) ImGui::Text("Visited %d times: the loop's stages overlap.", cell.visits);
  if (cell.taken_for != cell.tile_class) {
    ImGui::Text("Its step runs the lines of a %s tile.",
                std::string(name_of(cell.taken_for)).c_str());
  }
  if (cell.split >= 0) ImGui::Text("split %s", grouped(cell.split).c_str());
  ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(context.theme.text_dim),
                     "Click: go to this step");
}

void TileMapPanel::draw_legend(const Context& context) {
  const auto count = [&](TileClass tile_class) {
    return grouped(view_->counts()[static_cast<std::size_t>(tile_class)]);
  };
  const Theme& theme = context.theme;
  swatch(theme, true, theme.full_tile, count(TileClass::full) + " full",
         "Every element is visible, and the tile is not the kv tail: no mask is needed.");
  swatch(theme, false, theme.partial_tile, count(TileClass::partial) + " partial",
         "Some elements are visible, or the keys end in this tile: its scores are masked.");
  swatch(
      theme, false, theme.empty_tile, count(TileClass::empty) + " empty",
      "No element is visible. fa1, fa2 and split_kv skip it; standard computes it all the same.");
  if (view_->phase() < 0) return;
  const std::string done =
      fmt::format("{} of {} steps done", grouped(view_->done(context.session().position())),
                  grouped(view_->visits()));
  same_line_if_fits(ImGui::CalcTextSize(done.c_str()).x);
  ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(theme.text_dim), "%s", done.c_str());
  ImGui::SetItemTooltip(
      "Of this head, in this phase: strong tiles are done, faint ones are to come, the outlined "
      "one "
      "is current. A step is one kv tile of one work item.");
}

}  // namespace

std::unique_ptr<Panel> make_tile_map_panel() { return std::make_unique<TileMapPanel>(); }

}  // namespace flashscope::window
