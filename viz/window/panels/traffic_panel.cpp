#include "viz/window/panel.h"

namespace flashscope::window {
namespace {
class TrafficPanel final : public Panel {
 public:
  const char* title() const override { return "Traffic"; }
  const char* summary() const override { return ""; }
  void draw(const Context&, Requests&) override { ImGui::TextUnformatted("Traffic"); }
};
}  // namespace
std::unique_ptr<Panel> make_traffic_panel() { return std::make_unique<TrafficPanel>(); }
}  // namespace flashscope::window
