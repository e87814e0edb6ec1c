// A lesson beside the session that it is about: one section of its text at a time, with stops that
// move the session, questions, tasks and figures; or the list of lessons. What is shown comes from
// lesson_player.h.
#include <algorithm>

#include <fmt/format.h>

#include "viz/window/panels/figures.h"
#include "viz/window/panels/lesson_figure.h"
#include "viz/window/panels/lesson_panel_parts.h"
#include "viz/window/panels/rich_text.h"

namespace flashscope::window {
namespace {

using Kind = LessonRequest::Kind;

class LessonPanel final : public Panel {
 public:
  explicit LessonPanel(const LessonPlayer& player) : player_(player) {}

  const char* title() const override { return "Lesson"; }
  const char* summary() const override {
    return "A course beside the session: stops, questions and tasks; or a lesson of your own";
  }
  void draw(const Context& context, Requests& requests) override;

 private:
  void draw_header(const Context& context, Requests& requests) const;
  void draw_section(const Context& context, Requests& requests) const;
  void draw_item(const LessonSection::Item& item, const Context& context, Requests& requests) const;
  void draw_footer(const Context& context, Requests& requests) const;

  const LessonPlayer& player_;
  const void* lesson_ = nullptr;  // drawn last
  std::size_t section_ = 0;
};

void LessonPanel::draw_header(const Context& context, Requests& requests) const {
  const lessons::Lesson& lesson = player_.lesson();
  const ImGuiStyle& style = ImGui::GetStyle();
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  const std::string title =
      lesson.number > 0 ? fmt::format("{}  {}", lesson.number, lesson.title) : lesson.title;
  ImGui::AlignTextToFramePadding();
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme.text_dim);
  ImGui::TextWrapped("%s", title.c_str());
  ImGui::PopStyleColor();
  tip(lesson.about);
  const float width = ImGui::CalcTextSize("All lessons").x + 2 * style.FramePadding.x;
  if (ImGui::GetItemRectMax().x + style.ItemSpacing.x + width <= right) {
    ImGui::SameLine();
    ImGui::SetCursorScreenPos({right - width, ImGui::GetCursorScreenPos().y});
  }
  if (ImGui::Button("All lessons##lesson list")) requests.lesson = {Kind::close, 0, 0, ""};
}

void LessonPanel::draw_item(const LessonSection::Item& item, const Context& context,
                            Requests& requests) const {
  const lessons::Block& block = player_.lesson().blocks[item.block];
  if (const auto* prose = std::get_if<lessons::Prose>(&block)) {
    draw_text_blocks(std::span(prose->blocks).subspan(item.begin, item.end - item.begin),
                     context.theme);
    return;
  }
  if (std::holds_alternative<lessons::ScenarioBlock>(block)) {
    draw_scenario(player_, item.block, context, requests);
  } else if (std::holds_alternative<lessons::StopBlock>(block)) {
    draw_stop(player_, item.block, context, requests);
  } else if (std::holds_alternative<lessons::QuizBlock>(block)) {
    draw_quiz(player_, item.block, context, requests);
  } else if (std::holds_alternative<lessons::TaskBlock>(block)) {
    draw_task(player_, item.block, context, requests);
  } else if (std::holds_alternative<lessons::FigureBlock>(block)) {
    const LessonPlayer::Played& played = player_.played(item.block);
    if (played.figure) draw_figure(*played.figure, context.theme);
    if (!played.error.empty()) draw_note(context.theme.bad, played.error);
    if (!played.ready) draw_note(context.theme.text_dim, "computing…");
  } else {
    // What the prose says is checked, not shown; but a lesson that does not hold says so.
    const LessonPlayer::Played& played = player_.played(item.block);
    if (played.error.empty()) return;
    draw_note(context.theme.bad, played.error);
  }
  ImGui::Dummy({0, 0.3f * ImGui::GetFontSize()});
}

void LessonPanel::draw_section(const Context& context, Requests& requests) const {
  const LessonSection& section = player_.sections()[player_.section()];
  lessons::TextBlock heading;
  heading.kind = lessons::TextBlock::Kind::heading;
  heading.level = 2;
  heading.text = {{lessons::Span::Style::plain, section.title, ""}};
  draw_text_blocks({&heading, 1}, context.theme);
  for (const LessonSection::Item& item : section.items) {
    ImGui::PushID(static_cast<int>(item.block));
    draw_item(item, context, requests);
    ImGui::PopID();
    if (!player_.holds_back(item.block)) continue;
    if (&item != &section.items.back()) {
      draw_note(context.theme.text_dim, "The section goes on behind your answer.");
    }
    return;
  }
}

void LessonPanel::draw_footer(const Context& context, Requests& requests) const {
  const std::size_t section = player_.section(), sections = player_.sections().size();
  const bool last = section + 1 == sections;
  ImGui::Separator();
  ImGui::BeginDisabled(section == 0);
  if (ImGui::Button("Back##lesson back")) {
    requests.lesson = lesson_request(Kind::section, 0, section - 1);
  }
  ImGui::EndDisabled();
  ImGui::SameLine();
  if (ImGui::Button(last ? "Finish###lesson next" : "Next###lesson next")) {
    requests.lesson =
        last ? lesson_request(Kind::finish, 0) : lesson_request(Kind::section, 0, section + 1);
  }
  ImGui::SameLine();
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme.text_dim);
  std::string text = fmt::format("{} of {}", section + 1, sections);
  if (player_.progress().asked > 0) {
    text += fmt::format(" · {} of {} right at first", player_.progress().right,
                        player_.progress().asked);
  }
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopStyleColor();
}

void LessonPanel::draw(const Context& context, Requests& requests) {
  if (!player_.is_open()) {
    lesson_ = nullptr;
    draw_course(player_, context.theme, requests);
    return;
  }
  draw_header(context, requests);
  const float footer = ImGui::GetFrameHeightWithSpacing() + ImGui::GetStyle().ItemSpacing.y + 1;
  if (lesson_ != &player_.lesson() || section_ != player_.section()) {
    ImGui::SetNextWindowScroll({0, 0});
  }
  lesson_ = &player_.lesson();
  section_ = player_.section();
  if (ImGui::BeginChild("##section", {0, -footer}, ImGuiChildFlags_NavFlattened)) {
    draw_section(context, requests);
  }
  ImGui::EndChild();
  draw_footer(context, requests);
}

}  // namespace

std::unique_ptr<Panel> make_lesson_panel(const LessonPlayer& player) {
  return std::make_unique<LessonPanel>(player);
}

}  // namespace flashscope::window
