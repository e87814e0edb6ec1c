// See transport.h.
#include "viz/window/transport.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "viz/terminal/screen.h"
#include "viz/terminal/walk_text.h"
#include "viz/views/walk_words.h"
#include "viz/window/app.h"
#include "viz/window/commands.h"

namespace flashscope::window {
namespace {

using terminal::grouped;

// A button that runs a command and says its key.
void command_button(App& app, const char* label, const char* name) {
  const Command& command = find_command(name);
  if (ImGui::Button(fmt::format("{}##{}", label, name).c_str())) command.run(app, command.argument);
  ImGui::SetItemTooltip("%s  (%s)", command.title.c_str(), key_text(command).c_str());
}

std::string speed_text(double speed) {
  return speed < 1000 ? fmt::format("{:g}/s", speed) : fmt::format("{:.3g}k/s", speed / 1000);
}

// "S = scale * Q K'  ·  q tile 0, kv tile 1 (keys 2-3), full".
std::string op_text(const Program& program, const Op& op) {
  return fmt::format("{}  ·  {}", program.algorithm().lines[static_cast<std::size_t>(op.line)].text,
                     views::place_text(program, op.segment));
}

// Where marks fall onto so few pixels that one line stands for many.
template <typename F>
void for_each_pixel(const std::vector<std::int64_t>& ops, double size, float left, float width,
                    F draw) {
  float last = -1;
  for (const std::int64_t op : ops) {
    const float x = std::round(left + width * static_cast<float>(static_cast<double>(op) / size));
    if (x != last) draw(x);
    last = x;
  }
}

}  // namespace

float Transport::height() {
  return 2 * ImGui::GetFrameHeight() + ImGui::GetStyle().ItemSpacing.y +
         2 * ImGui::GetStyle().WindowPadding.y;
}

std::int64_t Transport::chain_key(const Context& context) const {
  const Segment& here = context.session().segment();
  return ((here.batch * context.program().heads()) + here.head) *
             std::max<std::int64_t>(1, context.program().q_tiles()) +
         std::max<std::int64_t>(0, here.q_tile);
}

bool Transport::has_work(const Context& context) const {
  if (rescales_program_ != context.program_version ||
      rescales_events_ != context.session().events()) {
    return true;
  }
  return rescales_.known && !rescales_.whole_program && rescales_chain_ != chain_key(context);
}

bool Transport::work_when_idle(const Context& context) {
  if (!has_work(context)) return false;
  rescales_ = views::taken_rescales(context.scenario, context.session());
  rescales_program_ = context.program_version;
  rescales_events_ = context.session().events();
  rescales_chain_ = chain_key(context);
  return true;
}

void Transport::draw_scrub_bar(const Context& context, Requests& requests) {
  const Theme& theme = context.theme;
  const Session& session = context.session();
  const double size = static_cast<double>(std::max<std::int64_t>(1, context.program().size()));
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const ImVec2 area = {std::max(1.0f, ImGui::GetContentRegionAvail().x), ImGui::GetFrameHeight()};
  ImGui::SetNextItemAllowOverlap();
  ImGui::InvisibleButton("##scrub", area);
  const float left = min.x, right = min.x + area.x;
  const auto op_at = [&](float x) {
    const double part = std::clamp((x - left) / area.x, 0.0f, 1.0f);
    return static_cast<std::int64_t>(std::llround(part * size));
  };
  if (ImGui::IsItemActive()) {
    const std::int64_t op = op_at(ImGui::GetIO().MousePos.x);
    if (op != session.position()) requests.go_to = op;
  }
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float em = ImGui::GetFontSize();
  const float top = min.y + 0.3f * em, bottom = min.y + area.y - 0.3f * em;
  draw.AddRectFilled({left, top}, {right, bottom}, theme.surface, 0.2f * em);
  const float x =
      left + area.x * static_cast<float>(static_cast<double>(session.position()) / size);
  draw.AddRectFilled({left, top}, {x, bottom}, Theme::faded(theme.accent, 0.35f), 0.2f * em);
  for_each_pixel(marks_.heads, size, left, area.x, [&](float at) {
    draw.AddLine({at, top}, {at, bottom}, theme.line);
  });
  for_each_pixel(marks_.phases, size, left, area.x, [&](float at) {
    draw.AddLine({at, min.y}, {at, bottom}, theme.text_dim, 2);
  });
  for_each_pixel(rescales_.ops, size, left, area.x, [&](float at) {
    draw.AddLine({at, (top + bottom) / 2}, {at, bottom}, theme.tensor("alpha"), 2);
  });
  for_each_pixel(marks_.breakpoints, size, left, area.x, [&](float at) {
    draw.AddLine({at, top}, {at, (top + bottom) / 2}, theme.bad, 2);
  });
  draw.AddRect({left, top}, {right, bottom}, theme.line, 0.2f * em);
  draw.AddTriangleFilled({x - 0.4f * em, min.y}, {x + 0.4f * em, min.y}, {x, top + 0.3f * em},
                         theme.accent);
  draw.AddLine({x, min.y}, {x, min.y + area.y}, theme.accent, 2);
  if (ImGui::IsItemHovered()) {
    const std::int64_t op = op_at(ImGui::GetIO().MousePos.x);
    if (ImGui::BeginTooltip()) {
      if (op < context.program().size()) {
        ImGui::TextUnformatted(op_text(context.program(), context.program().op(op)).c_str());
      } else {
        ImGui::TextUnformatted("the end");
      }
      ImGui::TextDisabled(
          "upper marks: breakpoints; lower marks: a row's maximum grew%s",
          rescales_.known && !rescales_.whole_program ? " (of the present q tile)" : "");
      ImGui::EndTooltip();
    }
  }
}

void Transport::draw(App& app, Requests& requests) {
  const Context context = app.context();
  // Marks of breakpoints follow the list of them, and the head where only its are listed.
  std::vector<int> ids;
  for (const Breakpoint& b : context.debugger.breakpoints()) ids.push_back(b.id);
  const Segment& here = context.session().segment();
  const std::int64_t head = here.batch * context.program().heads() + here.head;
  if (marks_program_ != context.program_version || ids != marks_breakpoints_ ||
      (marks_.breakpoints_of_head_only && head != marks_head_)) {
    marks_ = views::scrub_marks(context.debugger);
    marks_program_ = context.program_version;
    marks_breakpoints_ = ids;
    marks_head_ = head;
  }

  draw_scrub_bar(context, requests);
  command_button(app, "|◀", "beginning");
  ImGui::SameLine();
  command_button(app, "◀◀", "previous_tile");
  ImGui::SameLine();
  command_button(app, "◀", "back");
  ImGui::SameLine();
  command_button(app, app.is_moving() ? "❚❚" : " ▶ ", "play");
  ImGui::SameLine();
  command_button(app, "▶", "step");
  ImGui::SameLine();
  command_button(app, "▶▶", "next_tile");
  ImGui::SameLine();
  command_button(app, "▶|", "end");
  const float em = ImGui::GetFontSize();
  const float right = ImGui::GetWindowWidth() - ImGui::GetStyle().WindowPadding.x;
  static constexpr const char* kUnits[] = {"op", "kv tile", "work item"};
  if (right > 30 * em) {
    ImGui::SameLine(0, em);
    command_button(app, kUnits[static_cast<int>(context.playback.unit())], "unit");
    ImGui::SameLine();
    command_button(app, "−", "slower");
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(speed_text(context.playback.speed()).c_str());
    ImGui::SameLine();
    command_button(app, "+", "faster");
  }
  const Session& session = context.session();
  std::string text =
      fmt::format("op {} of {}", grouped(session.position()), grouped(context.program().size()));
  if (!session.at_end()) text += "  " + op_text(context.program(), session.next_op());
  ImGui::SameLine(0, em);
  const float space = right - ImGui::GetCursorPosX();
  const float width = ImGui::CalcTextSize(text.c_str()).x;
  if (width < space) ImGui::SetCursorPosX(right - width);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(text.c_str());
}

}  // namespace flashscope::window
