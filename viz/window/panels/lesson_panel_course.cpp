// The list of lessons; see lesson_panel_parts.h.
#include <fmt/format.h>

#include "viz/window/panels/figures.h"
#include "viz/window/panels/lesson_panel_parts.h"

namespace flashscope::window {
namespace {

void draw_finished(const LessonPlayer& player, const Theme& theme) {
  if (player.finished_title().empty()) return;
  const lessons::LessonProgress& progress = player.progress();
  std::string text = fmt::format("Finished: {}.", player.finished_title());
  if (progress.asked > 0) {
    text +=
        fmt::format(" {} of {} questions right at the first try.", progress.right, progress.asked);
  }
  draw_note(theme.good, text);
  ImGui::Spacing();
}

// `id`: "##lesson 03-online-softmax.md"
void draw_entry(const LessonPlayer::Entry& entry, const std::string& id, const Theme& theme,
                Requests& requests) {
  const float em = ImGui::GetFontSize();
  const std::string minutes = entry.minutes > 0 ? fmt::format("  {} min", entry.minutes) : "";
  ImGui::BeginDisabled(!entry.error.empty());
  const std::string number = entry.number > 0 ? fmt::format("{}  ", entry.number) : "";
  if (text_button(id, number + entry.title + minutes, theme,
                  entry.finished ? theme.good
                  : entry.begun  ? theme.accent
                                 : 0)) {
    requests.lesson = {LessonRequest::Kind::open, 0, 0, entry.file};
  }
  ImGui::EndDisabled();
  tip(entry.finished ? "Finished" : entry.begun ? "Begun: goes on where you stopped" : "");
  ImGui::Indent(0.9f * em);
  if (entry.error.empty()) {
    const char* const state = entry.finished ? "✓ " : "";
    draw_note(theme.text_dim, state + entry.about);
  } else {
    draw_note(theme.bad, entry.error);
  }
  ImGui::Unindent(0.9f * em);
}

}  // namespace

void draw_course(const LessonPlayer& player, const Theme& theme, Requests& requests) {
  if (ImGui::BeginChild("##course", {0, 0}, ImGuiChildFlags_NavFlattened)) {
    draw_finished(player, theme);
    if (player.course().empty()) draw_note(theme.text_dim, "This program has no lessons in it.");
    for (const LessonPlayer::Entry& entry : player.course()) {
      draw_entry(entry, "##lesson " + entry.file, theme, requests);
    }
    if (!player.own().empty()) {
      draw_heading(theme, ("In " + player.own_folder().string()).c_str());
    }
    for (const LessonPlayer::Entry& entry : player.own()) {
      const std::string name = std::filesystem::path(entry.file).filename().string();
      draw_entry(entry, "##own " + name, theme, requests);
    }
    ImGui::Spacing();
    if (ImGui::Button("Open a lesson from a file…##lesson file")) {
      requests.commands.emplace_back("open");
    }
    tip("A lesson is a Markdown file; it can also be dropped on the window");
    if (!player.note().empty()) draw_note(theme.bad, player.note());
  }
  ImGui::EndChild();
}

}  // namespace flashscope::window
