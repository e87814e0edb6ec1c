#include "viz/window/panel.h"

namespace flashscope::window {
namespace {
class KernelPanel final : public Panel {
 public:
  const char* title() const override { return "CUDA kernel"; }
  const char* summary() const override { return ""; }
  void draw(const Context&, Requests&) override { ImGui::TextUnformatted("CUDA kernel"); }
};
}  // namespace
std::unique_ptr<Panel> make_kernel_panel() { return std::make_unique<KernelPanel>(); }
}  // namespace flashscope::window
