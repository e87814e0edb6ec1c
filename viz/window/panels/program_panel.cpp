#include "viz/window/panel.h"

namespace flashscope::window {
namespace {
class ProgramPanel final : public Panel {
 public:
  const char* title() const override { return "Program"; }
  const char* summary() const override { return ""; }
  void draw(const Context&, Requests&) override { ImGui::TextUnformatted("Program"); }
};
}  // namespace
std::unique_ptr<Panel> make_program_panel() { return std::make_unique<ProgramPanel>(); }
}  // namespace flashscope::window
