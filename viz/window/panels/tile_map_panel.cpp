#include "viz/window/panel.h"

namespace flashscope::window {
namespace {
class TileMapPanel final : public Panel {
 public:
  const char* title() const override { return "Tile map"; }
  const char* summary() const override { return ""; }
  void draw(const Context&, Requests&) override { ImGui::TextUnformatted("Tile map"); }
};
}  // namespace
std::unique_ptr<Panel> make_tile_map_panel() { return std::make_unique<TileMapPanel>(); }
}  // namespace flashscope::window
