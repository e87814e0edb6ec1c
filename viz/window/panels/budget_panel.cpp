#include "viz/window/panel.h"

namespace flashscope::window {
namespace {
class BudgetPanel final : public Panel {
 public:
  const char* title() const override { return "SRAM budget"; }
  const char* summary() const override { return ""; }
  void draw(const Context&, Requests&) override { ImGui::TextUnformatted("SRAM budget"); }
};
}  // namespace
std::unique_ptr<Panel> make_budget_panel() { return std::make_unique<BudgetPanel>(); }
}  // namespace flashscope::window
