// What the tiles take on chip, against what the device gives a block; and what
// other tiles would take. Tiles that are looked at here become the program's
// when the user says so.
#include <fmt/format.h>

#include "viz/window/panels/budget_panel_parts.h"
#include "viz/window/panels/figures.h"

namespace flashscope::window {
namespace {

bool same_tiles(const Tiling& a, const Tiling& b) {
  return a.q_tile_rows == b.q_tile_rows && a.kv_tile_rows == b.kv_tile_rows;
}

class BudgetPanel final : public Panel {
 public:
  const char* title() const override { return "SRAM budget"; }
  const char* summary() const override {
    return "What the tiles take of shared memory and registers, whether they "
           "fit the device, and "
           "which tiles would.";
  }
  void draw(const Context& context, Requests& requests) override;
  std::optional<views::Sheet> sheet(const Context& context) const override;

 private:
  void draw_page(const Context& context, Requests& requests);
  void draw_verdict(const Context& context) const;
  void draw_actions(const Context& context, Requests& requests);
  void follow(const Context& context);

  Placement placement_ = Placement::kernel;
  std::optional<std::uint64_t> program_version_;
  Tiling tiling_;                          // that is looked at
  std::optional<views::BudgetView> view_;  // of the tiling under the placement
  TilingChoice choice_;
};

void BudgetPanel::follow(const Context& context) {
  if (program_version_ != context.program_version) {
    program_version_ = context.program_version;
    tiling_ = context.program().tiling();
    view_.reset();
  }
  if (view_ && view_->budget.placement == placement_ && same_tiles(view_->tiling, tiling_)) return;
  view_ = views::budget_view(context.program(), tiling_, context.device, placement_);
}

void BudgetPanel::draw_verdict(const Context& context) const {
  const Budget& budget = view_->budget;
  if (budget.fits) {
    draw_note(context.theme.good, fmt::format("✓ fits {}", context.device.title));
    return;
  }
  draw_note(context.theme.bad, fmt::format("does not fit {}", context.device.title));
  draw_note(context.theme.text_dim, budget.reason);
}

void BudgetPanel::draw_actions(const Context& context, Requests& requests) {
  const Tiling& now = context.program().tiling();
  const bool same = same_tiles(now, tiling_);
  ImGui::BeginDisabled(same);
  if (ImGui::Button("Use this tiling")) {
    ProblemOptions options = context.options;
    options.q_tile = tiling_.q_tile_rows;
    options.kv_tile = tiling_.kv_tile_rows;
    requests.settings = std::move(options);
  }
  ImGui::EndDisabled();
  tip("Makes the program anew with these tiles.");
  if (same) return;
  ImGui::SameLine();
  const std::string back = fmt::format("Back to {} × {}", now.q_tile_rows, now.kv_tile_rows);
  if (ImGui::GetContentRegionAvail().x <
      ImGui::CalcTextSize(back.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x) {
    ImGui::NewLine();
  }
  if (ImGui::Button((back + "###back").c_str())) tiling_ = now;
  tip("The program's own tiles.");
}

void BudgetPanel::draw_page(const Context& context, Requests& requests) {
  const bool wide = is_wide(44);
  if (wide) {
    const ImVec2 padding(ImGui::GetFontSize() * 0.7f, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, padding);
    const bool open = ImGui::BeginTable("##columns", 2, ImGuiTableFlags_SizingStretchProp);
    ImGui::PopStyleVar();
    if (!open) return;
    ImGui::TableSetupColumn("needs", 0, 1.25f);
    ImGui::TableSetupColumn("choice", 0, 1);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
  }
  draw_steppers(context, tiling_);
  draw_actions(context, requests);
  follow(context);
  draw_verdict(context);
  draw_needs(context, *view_);
  if (wide) ImGui::TableNextColumn();
  choice_.draw_map(context, placement_, tiling_);
  choice_.draw_best(context, placement_, tiling_);
  if (wide) ImGui::EndTable();
}

void BudgetPanel::draw(const Context& context, Requests& requests) {
  follow(context);
  if (!ImGui::BeginTabBar("##placements")) return;
  for (const Placement placement : {Placement::kernel, Placement::paper}) {
    const bool kernel = placement == Placement::kernel;
    const bool open = ImGui::BeginTabItem(kernel ? "Kernel" : "Paper");
    tip(kernel ? "Placement kernel: tiles declared `shared` lie in shared "
                 "memory, once per stage; "
                 "tiles declared `registers` in the registers of the block's "
                 "threads."
               : "Placement paper: one on-chip memory of size M holds every "
                 "tile, once. Here M is "
                 "the shared memory of a block.");
    if (!open) continue;
    placement_ = placement;
    follow(context);
    if (ImGui::BeginChild("##budget_page")) draw_page(context, requests);
    ImGui::EndChild();
    ImGui::EndTabItem();
  }
  ImGui::EndTabBar();
}

std::optional<views::Sheet> BudgetPanel::sheet(const Context& context) const {
  const Tiling& tiling =
      program_version_ == context.program_version ? tiling_ : context.program().tiling();
  return views::budget_sheet(
      views::budget_view(context.program(), tiling, context.device, placement_));
}

}  // namespace

std::unique_ptr<Panel> make_budget_panel() { return std::make_unique<BudgetPanel>(); }

}  // namespace flashscope::window
