// Bytes between HBM and SRAM up to the present op: per tensor, against other algorithms at the same
// progress, and under a device's roofs.
#include "sim/machine/count.h"
#include "viz/window/panels/traffic_panel_parts.h"

namespace flashscope::window {
namespace {

enum class Page : std::uint8_t { bytes, lockstep, roofline };

class TrafficPanel final : public Panel {
 public:
  const char* title() const override { return "Traffic"; }
  const char* summary() const override {
    return "Simulated bytes between HBM and SRAM so far, per tensor; against the closed form, the "
           "papers and other algorithms; and the roofline.";
  }
  void draw(const Context& context, Requests& requests) override;
  std::optional<views::Sheet> sheet(const Context& context) const override;

 private:
  void follow(const Context& context);

  TrafficLanes lanes_;
  std::optional<views::TrafficView> view_;
  std::uint64_t state_version_ = 0;  // of the view
  Page page_ = Page::bytes;
  std::string looked_at_;  // a device
};

void TrafficPanel::follow(const Context& context) {
  lanes_.follow_running(context);
  if (view_ && state_version_ == context.state_version) return;
  state_version_ = context.state_version;
  view_ = views::traffic_view(context.program(), context.session().position(),
                              context.debugger.ledger(), lanes_.running().lane->whole(),
                              context.device);
}

void TrafficPanel::draw(const Context& context, Requests& requests) {
  follow(context);
  if (!ImGui::BeginTabBar("##traffic_pages")) return;
  if (ImGui::BeginTabItem("Bytes")) {
    page_ = Page::bytes;
    draw_bytes_page(context, *view_);
    ImGui::EndTabItem();
  }
  if (ImGui::BeginTabItem("Lockstep")) {
    page_ = Page::lockstep;
    requests.another_frame |= lanes_.follow_all(context, true);
    draw_lockstep_page(context, lanes_, requests);
    ImGui::EndTabItem();
  }
  if (ImGui::BeginTabItem("Roofline")) {
    page_ = Page::roofline;
    requests.another_frame |= lanes_.follow_all(context, false);
    draw_roofline_page(context, lanes_, looked_at_);
    ImGui::EndTabItem();
  }
  ImGui::EndTabBar();
}

std::optional<views::Sheet> TrafficPanel::sheet(const Context& context) const {
  if (context.numbers_hidden) return std::nullopt;
  if (page_ == Page::bytes || !lanes_.belongs_to(context)) {
    const Program& program = context.program();
    return views::traffic_sheet(
        views::traffic_view(program, context.session().position(), context.debugger.ledger(),
                            ledger_before(program, program.size()), context.device));
  }
  std::vector<views::LaneState> states;
  for (const TrafficLanes::Entry* entry : lanes_.shown()) {
    if (entry->state) states.push_back(*entry->state);
  }
  return views::lockstep_sheet(states);
}

}  // namespace

std::unique_ptr<Panel> make_traffic_panel() { return std::make_unique<TrafficPanel>(); }

}  // namespace flashscope::window
