// The algorithm's table while it runs: the line that executes next, breakpoints in the margin, what
// the op computes with numbers put in; and an editor for the table itself. What is shown comes from
// views/program_view.h; the arithmetic from viz/views/formula.h.
#include <algorithm>

#include <fmt/format.h>

#include "viz/views/program_view.h"
#include "viz/views/table_edit.h"
#include "viz/window/panel.h"
#include "viz/window/panels/code_area.h"
#include "viz/window/panels/program_panel_editor.h"
#include "viz/window/panels/program_panel_op.h"
#include "viz/window/panels/tile_canvas.h"

namespace flashscope::window {
namespace {

constexpr float kMistakeLines = 5;   // of the editor's message; the rest is scrolled to
constexpr float kTooltipWidth = 26;  // times the font's size

class ProgramPanel final : public Panel {
 public:
  const char* title() const override { return "Program"; }
  const char* summary() const override {
    return "The algorithm's table: what executes next, breakpoints, formulas; can be edited";
  }
  void draw(const Context& context, Requests& requests) override;

 private:
  void update(const Context& context);
  void draw_header(const Context& context, Requests& requests);
  void draw_table(const Context& context, Requests& requests, ImVec2 size);
  void draw_strip(const Context& context, Requests& requests, float height);
  LineLook look(int line) const;
  void margin_tooltip(const Context& context, int line) const;
  void line_tooltip(const Context& context, int line) const;
  void tensor_tooltip(const Context& context, std::string_view name) const;

  views::TableView table_;
  views::ProgramView view_;
  views::TableChanges changes_;  // from the built-in table
  std::string original_;
  OpText op_;
  std::uint64_t program_version_ = 0, state_version_ = 0;
  int shown_change_ = 0;  // line of a fault, in view until something else happens; 0: none
  CodeArea area_{true};
  TableEditor editor_;
  const Debugger* debugger_ = nullptr;  // of the frame being drawn
  float strip_height_ = 0;              // of its content, the most so far
  float strip_width_ = 0;
};

void ProgramPanel::update(const Context& context) {
  debugger_ = &context.debugger;
  if (context.program_version != program_version_) {
    table_ = views::table_view(context.program().algorithm());
    original_ = original_table(context.options);
    changes_ = views::table_changes(original_, context.program().algorithm().source);
    strip_height_ = 0;
    const bool faulty = !context.program().algorithm().fault.empty();
    const std::vector<int>& lines = changes_.lines.empty() ? changes_.removed : changes_.lines;
    shown_change_ = faulty && !original_.empty() && !lines.empty() ? std::max(1, lines.front()) : 0;
    if (shown_change_ > 0) area_.set_follows(true);
  } else if (context.state_version != state_version_) {
    shown_change_ = 0;
  }
  if (context.program_version != program_version_ || context.state_version != state_version_) {
    view_ = views::program_view(context.debugger, table_);
    op_ = op_text(context);
  }
  program_version_ = context.program_version;
  state_version_ = context.state_version;
}

LineLook ProgramPanel::look(int line) const {
  const auto n = static_cast<std::size_t>(line - 1);
  const views::LineState& state = view_.states[n];
  LineLook look;
  if (line == view_.current) look.mark = LineLook::Mark::current;
  look.dim = !state.why_not.empty();
  look.clickable = table_.lines[n].statement >= 0 && (!state.never || !state.breakpoints.empty());
  for (const int index : state.breakpoints) {
    const bool on = debugger_->breakpoints()[static_cast<std::size_t>(index)].enabled;
    if (on || look.dot == LineLook::Dot::none)
      look.dot = on ? LineLook::Dot::on : LineLook::Dot::off;
  }
  if (!original_.empty()) {
    look.changed = std::binary_search(changes_.lines.begin(), changes_.lines.end(), line);
    look.gone_below = std::binary_search(changes_.removed.begin(), changes_.removed.end(), line);
  }
  return look;
}

// What runs; and at the right end, where it fits, the buttons.
void ProgramPanel::draw_header(const Context& context, Requests& requests) {
  const Algorithm& algorithm = context.program().algorithm();
  const Theme& theme = context.theme;
  const ImGuiStyle& style = ImGui::GetStyle();
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  ImGui::AlignTextToFramePadding();
  ImGui::PushStyleColor(ImGuiCol_Text, algorithm.fault.empty() ? theme.text : theme.bad);
  ImGui::TextUnformatted(algorithm.full_name().c_str());
  ImGui::PopStyleColor();
  const std::string differs = views::describe(changes_, context.options.algorithm);
  ImGui::SetItemTooltip("%s\n%s", algorithm.title.c_str(), differs.c_str());
  if (context.options.table || editor_.has_changes()) {
    same_line_if_fits(ImGui::CalcTextSize("edited").x);
    ImGui::PushStyleColor(ImGuiCol_Text, theme.accent);
    ImGui::TextUnformatted("edited");
    ImGui::PopStyleColor();
    ImGui::SetItemTooltip("%s", differs.c_str());
    same_line_if_fits(ImGui::CalcTextSize("Revert").x + 2 * style.FramePadding.x);
    if (choice_button("Revert", false, theme)) editor_.revert(context, requests);
    ImGui::SetItemTooltip("Back to the table of %s", context.options.algorithm.c_str());
  }
  const float width = ImGui::CalcTextSize("Edit").x + ImGui::CalcTextSize("Follow").x +
                      4 * style.FramePadding.x + style.ItemSpacing.x;
  if (ImGui::GetItemRectMax().x + style.ItemSpacing.x + width <= right) {
    ImGui::SameLine();
    ImGui::SetCursorScreenPos({right - width, ImGui::GetCursorScreenPos().y});
  }
  if (choice_button("Edit", editor_.is_open(), theme)) {
    editor_.is_open() ? editor_.close() : editor_.open(context, view_.current);
  }
  ImGui::SetItemTooltip("Change the table: it runs as soon as it is right");
  ImGui::SameLine();
  ImGui::BeginDisabled(editor_.is_open());
  if (choice_button("Follow", area_.follows(), theme)) area_.set_follows(!area_.follows());
  ImGui::SetItemTooltip("Keep the line that executes next in view; scrolling away ends it");
  ImGui::EndDisabled();
}

void ProgramPanel::margin_tooltip(const Context& context, int line) const {
  const auto n = static_cast<std::size_t>(line - 1);
  const views::LineState& state = view_.states[n];
  if (!state.breakpoints.empty()) {
    for (const int index : state.breakpoints) {
      const Breakpoint& b = context.debugger.breakpoints()[static_cast<std::size_t>(index)];
      ImGui::TextUnformatted(views::describe(b).c_str());
    }
    return;
  }
  ImGui::PushTextWrapPos(kTooltipWidth * ImGui::GetFontSize());
  if (table_.lines[n].statement < 0) {
    ImGui::Text("No breakpoint here: %s", table_.lines[n].why_no_breakpoint.c_str());
  } else if (state.never) {
    ImGui::Text("No breakpoint here: this never executes, for %s", state.why_not.c_str());
  } else {
    ImGui::Text("Click: stop before line %d executes", line);
  }
  ImGui::PopTextWrapPos();
}

void ProgramPanel::tensor_tooltip(const Context& context, std::string_view name) const {
  const Algorithm& algorithm = context.program().algorithm();
  for (const bool in_hbm : {false, true}) {
    const int index = algorithm.find(name, in_hbm);
    if (index < 0) continue;
    const Buffer& buffer = algorithm.buffers[static_cast<std::size_t>(index)];
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(context.theme.tensor(name)), "%s",
                       buffer.name.c_str());
    ImGui::SameLine();
    ImGui::TextUnformatted(views::describe(buffer, context.program()).c_str());
  }
}

void ProgramPanel::line_tooltip(const Context& context, int line) const {
  const auto n = static_cast<std::size_t>(line - 1);
  const int statement = table_.lines[n].statement;
  if (statement < 0) return;
  const Algorithm& algorithm = context.program().algorithm();
  const Line& l = algorithm.lines[static_cast<std::size_t>(statement)];
  const Form& form = views::form_of(l, algorithm);
  ImGui::PushFont(context.theme.mono, 0.0f);
  ImGui::TextUnformatted(l.text.c_str());
  ImGui::PopFont();
  ImGui::PushTextWrapPos(kTooltipWidth * ImGui::GetFontSize());
  ImGui::TextUnformatted(sentence(form.meaning).c_str());
  ImGui::TextDisabled("%s",
                      fmt::format("form: {} · kind: {}", form.pattern, name_of(form.kind)).c_str());
  const views::LineState& state = view_.states[n];
  if (!state.why_not.empty()) {
    ImGui::TextDisabled("%s: %s", state.never ? "Never executes" : "Not at this step",
                        state.why_not.c_str());
  }
  ImGui::PopTextWrapPos();
  if (line == view_.current) draw_changes(op_.changes, context.numbers_hidden, context.theme);
}

void ProgramPanel::draw_table(const Context& context, Requests& requests, ImVec2 size) {
  const int line_in_view = shown_change_ > 0 ? shown_change_ : view_.current;
  const std::pair<int, int> current = {line_in_view, line_in_view + 1};
  const CodeArea::Event event =
      area_.draw("##table", size, table_.code, context.program_version, current, context.theme,
                 [this](int line) { return look(line); });
  if (event.line == 0) return;
  const auto n = static_cast<std::size_t>(event.line - 1);
  if (event.clicked && event.in_margin && look(event.line).clickable) {
    requests.toggle_breakpoints.push_back(event.line);
  }
  const int tile =
      event.tensor.empty() ? -1 : context.program().algorithm().find(event.tensor, false);
  if (event.clicked && tile >= 0) {
    Selection selection = context.selection;
    selection.tile = tile;
    requests.selection = selection;
  }
  const bool has_text = event.in_margin || !event.tensor.empty() || table_.lines[n].statement >= 0;
  if (!event.wants_tooltip || !has_text || !ImGui::BeginTooltip()) return;
  if (event.in_margin) {
    margin_tooltip(context, event.line);
  } else {
    line_tooltip(context, event.line);
    if (!event.tensor.empty()) {
      if (table_.lines[n].statement >= 0) ImGui::Separator();
      tensor_tooltip(context, event.tensor);
    }
  }
  ImGui::EndTooltip();
}

void ProgramPanel::draw_strip(const Context& context, Requests& requests, float height) {
  ImGui::BeginChild("##op", {0, height});
  if (editor_.is_open()) {
    editor_.draw_status(context);
  } else {
    draw_op_strip(op_, context.numbers_hidden, context.theme);
  }
  const float content = ImGui::GetCursorPosY();
  requests.another_frame = requests.another_frame || content > strip_height_;
  strip_height_ = std::max(strip_height_, content);
  ImGui::EndChild();
}

void ProgramPanel::draw(const Context& context, Requests& requests) {
  update(context);
  draw_header(context, requests);
  const ImVec2 space = ImGui::GetContentRegionAvail();
  if (strip_width_ != space.x) strip_height_ = 0;
  strip_width_ = space.x;
  // It grows to what its content needs and never shrinks: lines of the table stay where they are.
  const float line = ImGui::GetTextLineHeightWithSpacing();
  const float most = std::min(space.y * 0.45f, editor_.is_open() ? kMistakeLines * line : space.y);
  const float strip = std::clamp(strip_height_, 2 * line, std::max(2 * line, most));
  const float gap = ImGui::GetStyle().ItemSpacing.y;
  const ImVec2 rest = {space.x, std::max(line, space.y - strip - 2 * gap - 1)};
  if (editor_.is_open()) {
    editor_.draw(context, requests, view_.current, rest);
  } else {
    draw_table(context, requests, rest);
  }
  ImGui::Separator();
  draw_strip(context, requests, strip);
}

}  // namespace

std::unique_ptr<Panel> make_program_panel() { return std::make_unique<ProgramPanel>(); }

}  // namespace flashscope::window
