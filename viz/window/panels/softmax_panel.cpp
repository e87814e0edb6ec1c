#include "viz/window/panel.h"

namespace flashscope::window {
namespace {
class SoftmaxPanel final : public Panel {
 public:
  const char* title() const override { return "Softmax state"; }
  const char* summary() const override { return ""; }
  void draw(const Context&, Requests&) override { ImGui::TextUnformatted("Softmax state"); }
};
}  // namespace
std::unique_ptr<Panel> make_softmax_panel() { return std::make_unique<SoftmaxPanel>(); }
}  // namespace flashscope::window
