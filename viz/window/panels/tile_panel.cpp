#include "viz/window/panel.h"

namespace flashscope::window {
namespace {
class TilePanel final : public Panel {
 public:
  const char* title() const override { return "Tile"; }
  const char* summary() const override { return ""; }
  void draw(const Context&, Requests&) override { ImGui::TextUnformatted("Tile"); }
};
}  // namespace
std::unique_ptr<Panel> make_tile_panel() { return std::make_unique<TilePanel>(); }
}  // namespace flashscope::window
