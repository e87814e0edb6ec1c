#include "viz/window/panel.h"

namespace flashscope::window {
namespace {
class ComparePanel final : public Panel {
 public:
  const char* title() const override { return "Compare"; }
  const char* summary() const override { return ""; }
  void draw(const Context&, Requests&) override { ImGui::TextUnformatted("Compare"); }
};
}  // namespace
std::unique_ptr<Panel> make_compare_panel() { return std::make_unique<ComparePanel>(); }
}  // namespace flashscope::window
