// The CUDA kernel that follows the table: the lines that do what the next op does. The sources are
// in the binary, so that they can be read where there is neither a GPU nor a checkout.
#include <algorithm>

#include <fmt/format.h>

#include "viz/views/kernel_view.h"
#include "viz/views/program_view.h"
#include "viz/window/panel.h"
#include "viz/window/panels/code_area.h"
#include "viz/window/panels/tile_canvas.h"

namespace flashscope::window {
namespace {

constexpr float kTooltipWidth = 26;  // times the font's size

class KernelPanel final : public Panel {
 public:
  const char* title() const override { return "CUDA kernel"; }
  const char* summary() const override {
    return "The kernel's CUDA source, and which of its lines do what executes next";
  }
  void draw(const Context& context, Requests& requests) override;

 private:
  void update(const Context& context);
  void draw_header(const Context& context);
  LineLook look(const Context& context, int line) const;
  void tooltip(const Context& context, const views::KernelMarker& marker) const;
  // The marker of a statement that stands on this line; null when none does.
  const views::KernelMarker* marker_at(int line) const;
  const views::LineState& state_of(const Line& line) const {
    return program_.states[static_cast<std::size_t>(line.source_line - 1)];
  }

  views::KernelView kernel_;
  views::TableView table_;
  views::ProgramView program_;
  std::vector<const views::KernelMarker*> current_;  // of the op that executes next
  std::string note_;                                 // why there are none
  std::uint64_t program_version_ = 0, state_version_ = 0;
  CodeArea area_{false};
};

const Line& statement(const Context& context, int index) {
  return context.program().algorithm().lines[static_cast<std::size_t>(index)];
}

void KernelPanel::update(const Context& context) {
  if (context.program_version != program_version_) {
    kernel_ = views::kernel_view(context.program().algorithm());
    table_ = views::table_view(context.program().algorithm());
  }
  if (context.program_version != program_version_ || context.state_version != state_version_) {
    program_ = views::program_view(context.debugger, table_);
    current_.clear();
    note_.clear();
    if (!context.session().at_end()) {
      const int next = context.session().next_op().line;
      current_ = kernel_.markers_of(next);
      if (current_.empty() && !kernel_.file.empty()) {
        note_ = fmt::format("{}: {}", statement(context, next).text,
                            views::why_no_code(statement(context, next), kernel_));
      }
    }
  }
  program_version_ = context.program_version;
  state_version_ = context.state_version;
}

const views::KernelMarker* KernelPanel::marker_at(int line) const {
  const auto marker =
      std::lower_bound(kernel_.markers.begin(), kernel_.markers.end(), line,
                       [](const views::KernelMarker& m, int at) { return m.line < at; });
  const bool found = marker != kernel_.markers.end() && marker->line == line;
  return found && marker->statement >= 0 ? &*marker : nullptr;
}

LineLook KernelPanel::look(const Context& context, int line) const {
  LineLook look;
  for (const views::KernelMarker* marker : current_) {
    if (marker->line == line) look.mark = LineLook::Mark::current;
    if (marker->code.contains(line)) look.mark = LineLook::Mark::related;
  }
  const views::KernelMarker* const marker = marker_at(line);
  if (marker == nullptr) return look;
  const views::LineState& state = state_of(statement(context, marker->statement));
  look.clickable = !state.never || !state.breakpoints.empty();
  for (const int index : state.breakpoints) {
    const bool on = context.debugger.breakpoints()[static_cast<std::size_t>(index)].enabled;
    if (on || look.dot == LineLook::Dot::none)
      look.dot = on ? LineLook::Dot::on : LineLook::Dot::off;
  }
  return look;
}

void KernelPanel::draw_header(const Context& context) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const std::size_t function =
      current_.empty() ? 0 : static_cast<std::size_t>(std::max(0, current_.front()->function));
  const std::string name = !current_.empty() && function < kernel_.functions.size()
                               ? fmt::format("{} · {}", kernel_.file, kernel_.functions[function])
                               : kernel_.file;
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  ImGui::AlignTextToFramePadding();
  ImGui::TextWrapped("%s", name.c_str());
  const float width = ImGui::CalcTextSize("Follow").x + 2 * style.FramePadding.x;
  if (ImGui::GetItemRectMax().x + style.ItemSpacing.x + width <= right) {
    ImGui::SameLine();
    ImGui::SetCursorScreenPos({right - width, ImGui::GetCursorScreenPos().y});
  }
  if (choice_button("Follow", area_.follows(), context.theme)) {
    area_.set_follows(!area_.follows());
  }
  ImGui::SetItemTooltip("Keep what executes next in view; scrolling away ends it");
  for (const std::string& text : {kernel_.caution, note_}) {
    if (text.empty()) continue;
    ImGui::PushStyleColor(ImGuiCol_Text, context.theme.accent);
    ImGui::TextWrapped("%s", text.c_str());
    ImGui::PopStyleColor();
  }
}

void KernelPanel::tooltip(const Context& context, const views::KernelMarker& marker) const {
  const Line& line = statement(context, marker.statement);
  const Algorithm& algorithm = context.program().algorithm();
  ImGui::PushTextWrapPos(kTooltipWidth * ImGui::GetFontSize());
  ImGui::Text("Does line %d of %s.alg: %s", line.source_line, algorithm.name.c_str(),
              std::string(views::form_of(line, algorithm).meaning).c_str());
  const views::LineState& state = state_of(line);
  for (const int index : state.breakpoints) {
    const Breakpoint& b = context.debugger.breakpoints()[static_cast<std::size_t>(index)];
    ImGui::TextUnformatted(views::describe(b).c_str());
  }
  if (state.breakpoints.empty()) {
    ImGui::TextDisabled(state.never ? "The simulated program never executes it: %s"
                                    : "Click the margin: the simulated program stops before it%s",
                        state.never ? state.why_not.c_str() : "");
  }
  ImGui::PopTextWrapPos();
}

void KernelPanel::draw(const Context& context, Requests& requests) {
  update(context);
  if (kernel_.file.empty()) {
    ImGui::TextWrapped("%s", kernel_.caution.c_str());
    return;
  }
  draw_header(context);
  std::pair<int, int> follow = {0, 0};
  if (!current_.empty()) follow = {current_.front()->line, current_.front()->code.end};
  const CodeArea::Event event =
      area_.draw("##kernel", ImGui::GetContentRegionAvail(), kernel_.code, program_version_, follow,
                 context.theme, [&](int line) { return look(context, line); });
  const views::KernelMarker* const marker = marker_at(event.line);
  if (marker == nullptr) return;
  if (event.clicked && event.in_margin && look(context, event.line).clickable) {
    requests.toggle_breakpoints.push_back(statement(context, marker->statement).source_line);
  }
  if (event.wants_tooltip && ImGui::BeginTooltip()) {
    tooltip(context, *marker);
    ImGui::EndTooltip();
  }
}

}  // namespace

std::unique_ptr<Panel> make_kernel_panel() { return std::make_unique<KernelPanel>(); }

}  // namespace flashscope::window
