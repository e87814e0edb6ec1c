#include "viz/window/panel.h"

namespace flashscope::window {
namespace {
class MemoryPanel final : public Panel {
 public:
  const char* title() const override { return "Memory hierarchy"; }
  const char* summary() const override { return ""; }
  void draw(const Context&, Requests&) override { ImGui::TextUnformatted("Memory hierarchy"); }
};
}  // namespace
std::unique_ptr<Panel> make_memory_panel() { return std::make_unique<MemoryPanel>(); }
}  // namespace flashscope::window
