// Scenarios, stops, quizzes and tasks; see lesson_panel_parts.h.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/io/number_text.h"
#include "viz/terminal/problem_options.h"
#include "viz/window/panels/figures.h"
#include "viz/window/panels/lesson_panel_parts.h"
#include "viz/window/panels/program_panel_op.h"
#include "viz/window/panels/rich_text.h"
#include "viz/window/panels/tile_canvas.h"

namespace flashscope::window {
namespace {

using Kind = LessonRequest::Kind;
using Played = LessonPlayer::Played;

constexpr float kIndent = 0.9f;  // of the font's size: what belongs to a button or a question

// Settings as a reader types them at the command: "--q-len 8 --causal".
std::string settings_text(const ProblemOptions& options) {
  const std::vector<std::string> words = problem_arguments(options);
  std::string text = fmt::format("{}", fmt::join(words, " "));
  if (options.table) text += text.empty() ? "an edited table" : ", with an edited table";
  return text;
}

bool is_on_scenario(const LessonPlayer& player, std::size_t block, const Context& context) {
  return player.opened_scenario() == block && player.is_scenario(block, context.options) &&
         context.session().events().empty();
}

void draw_failure(const Played& played, const Theme& theme) { draw_note(theme.bad, played.error); }

// One text from the left and one flush right, which stands below where there is no room beside.
void draw_both_ends(const std::string& left, const std::string& right, const Theme& theme) {
  const float x = ImGui::GetCursorPosX(), room = ImGui::GetContentRegionAvail().x;
  const float width = ImGui::CalcTextSize(right.c_str()).x;
  draw_note(theme.text, left);
  if (right.empty()) return;
  const float at = x + std::max(0.0f, room - width);
  if (ImGui::CalcTextSize(left.c_str()).x + ImGui::GetFontSize() + width <= room) {
    ImGui::SameLine(at);
  } else {
    ImGui::SetCursorPosX(at);
  }
  draw_note(theme.text_dim, right);
}

// As `walk` shows it: the step with the bytes before it, then its ops with their numbers, which
// `goto` takes, and their bytes.
void draw_walk(const Played& played, const Theme& theme) {
  if (played.walk.empty()) return;
  if (played.walk_left_out > 0) {
    draw_note(theme.text_dim, fmt::format("… {} ops", played.walk_left_out));
  }
  const std::size_t digits =
      std::max<std::size_t>(2, fmt::formatted_size("{}", played.walk.back().op));
  for (const WalkedOp& op : played.walk) {
    if (!op.place.empty()) {
      draw_both_ends(op.place,
                     fmt::format("loaded {}, stored {} B", io::grouped(op.load_bytes),
                                 io::grouped(op.store_bytes)),
                     theme);
    }
    ImGui::PushFont(theme.mono, 0.0f);
    draw_note(theme.text_dim, fmt::format("{:>{}}", op.op, digits));
    const float space = 2 * ImGui::CalcTextSize(" ").x;
    const float indent = ImGui::GetItemRectSize().x + space;
    ImGui::SameLine(0, space);
    draw_both_ends(op.statement,
                   op.copied_bytes > 0 ? fmt::format("+{} B", io::grouped(op.copied_bytes)) : "",
                   theme);
    ImGui::PopFont();
    ImGui::Indent(indent);
    draw_changes(op.changes, false, theme);
    ImGui::Unindent(indent);
  }
}

void draw_values(const std::vector<lessons::ShownValue>& values, bool hidden, const Theme& theme) {
  ImGui::PushFont(theme.mono, 0.0f);
  for (const lessons::ShownValue& value : values) {
    draw_note(theme.text, fmt::format("{} = {}", value.expression, hidden ? "?" : value.value));
  }
  ImGui::PopFont();
}

}  // namespace

bool text_button(const std::string& id, const std::string& text, const Theme& theme, ImU32 mark) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float em = ImGui::GetFontSize();
  const float width = std::max(4 * em, ImGui::GetContentRegionAvail().x);
  const float bar = 0.25f * em, left = style.FramePadding.x + bar + 0.15f * em;
  const float room = width - left - style.FramePadding.x;
  const ImVec2 size = ImGui::CalcTextSize(text.c_str(), nullptr, false, room);
  const bool pressed = ImGui::Button(id.c_str(), {width, size.y + 2 * style.FramePadding.y});
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  if (mark != 0) draw.AddRectFilled(min, {min.x + bar, max.y}, mark, style.FrameRounding);
  draw.AddText(ImGui::GetFont(), em, min + ImVec2(left, style.FramePadding.y), theme.text,
               text.c_str(), nullptr, room);
  return pressed;
}

void draw_scenario(const LessonPlayer& player, std::size_t block, const Context& context,
                   Requests& requests) {
  const auto& scenario = std::get<lessons::ScenarioBlock>(player.lesson().blocks[block]);
  const Played& played = player.played(block);
  if (!played.error.empty()) {
    draw_failure(played, context.theme);
    return;
  }
  if (!scenario.opens || !played.ready) return;
  const bool open = is_on_scenario(player, block, context);
  const std::string settings = settings_text(played.options);
  draw_note(context.theme.text_dim,
            fmt::format("{} {}{}{}", open ? "In the session:" : "The lesson's problem:",
                        scenario.name.text, settings.empty() ? "" : " · ", settings));
  if (open) return;
  if (!played.refused.empty()) {
    draw_note(context.theme.text_dim, "The session keeps its own: " + played.refused);
    return;
  }
  if (ImGui::Button(fmt::format("Open it##scenario {}", block).c_str())) {
    requests.lesson = lesson_request(Kind::scenario, block);
  }
  tip("Changes the session's settings to these; Ctrl+Z goes back");
}

void draw_stop(const LessonPlayer& player, std::size_t block, const Context& context,
               Requests& requests) {
  const auto& stop = std::get<lessons::StopBlock>(player.lesson().blocks[block]);
  const Played& played = player.played(block);
  if (!played.error.empty()) {
    draw_failure(played, context.theme);
    return;
  }
  const bool here = played.visited && player.last_stop() == block && played.scenario &&
                    is_on_scenario(player, *played.scenario, context) &&
                    context.session().position() == played.position;
  ImGui::BeginDisabled(!played.ready);
  if (text_button(fmt::format("##stop {}", block), "▶  " + without_style(stop.title), context.theme,
                  here ? context.theme.accent : 0)) {
    requests.lesson = lesson_request(Kind::stop, block);
  }
  ImGui::EndDisabled();
  tip(here ? fmt::format("The session stands here, before op {}", played.position)
           : fmt::format("Goes to op {} of the session", played.position));
  // First one looks, then one reads what was to be seen.
  if (!played.visited) return;
  ImGui::Indent(kIndent * ImGui::GetFontSize());
  draw_walk(played, context.theme);
  draw_values(played.values, false, context.theme);
  if (here && !played.next_place.empty()) {
    draw_note(context.theme.text_dim,
              "That step is done: the panels show what comes next, " + played.next_place + ".");
  }
  ImGui::Unindent(kIndent * ImGui::GetFontSize());
}

void draw_quiz(const LessonPlayer& player, std::size_t block, const Context& context,
               Requests& requests) {
  const auto& quiz = std::get<lessons::QuizBlock>(player.lesson().blocks[block]);
  const Played& played = player.played(block);
  const Theme& theme = context.theme;
  draw_text(quiz.question, theme);
  if (!played.error.empty()) draw_failure(played, theme);
  if (!played.quiz) return;
  ImGui::Indent(kIndent * ImGui::GetFontSize());
  for (std::size_t n = 0; n < played.quiz->options.size(); ++n) {
    const lessons::ShownOption& option = played.quiz->options[n];
    const bool chosen = std::ranges::find(played.chosen, n) != played.chosen.end();
    const bool right = played.done && n == played.quiz->right;
    const std::string text =
        fmt::format("{}  {}", static_cast<char>('A' + n), without_style(option.text));
    ImGui::BeginDisabled(chosen || played.done);
    // Disabled, it stays as readable as it was.
    ImGui::PushStyleVar(ImGuiStyleVar_DisabledAlpha, right || chosen ? 1.0f : 0.6f);
    if (text_button(fmt::format("##option {} {}", block, n), text, theme,
                    right    ? theme.good
                    : chosen ? theme.bad
                             : 0)) {
      requests.lesson = lesson_request(Kind::choose, block, n);
    }
    ImGui::PopStyleVar();
    ImGui::EndDisabled();
    if (chosen && !right)
      draw_note(theme.bad, option.why.empty() ? "No." : "No. " + without_style(option.why));
    if (right)
      draw_note(theme.good, option.why.empty() ? "Right." : "Right. " + without_style(option.why));
  }
  if (played.done && !quiz.why.empty()) draw_text(quiz.why, theme);
  if (!played.done && !played.chosen.empty()) {
    if (ImGui::Button(fmt::format("Show the answer##answer {}", block).c_str())) {
      requests.lesson = lesson_request(Kind::show_answer, block);
    }
  }
  ImGui::Unindent(kIndent * ImGui::GetFontSize());
}

void draw_task(const LessonPlayer& player, std::size_t block, const Context& context,
               Requests& requests) {
  const auto& task = std::get<lessons::TaskBlock>(player.lesson().blocks[block]);
  const Played& played = player.played(block);
  const Theme& theme = context.theme;
  if (!played.error.empty()) draw_failure(played, theme);
  const float em = ImGui::GetFontSize(), side = 0.95f * em;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 end = at + ImVec2(side, side);
  draw.AddRect(at, end, played.done ? theme.good : theme.text_dim, 0.15f * em,
               std::max(1.0f, 0.1f * em));
  if (played.done) {
    const ImVec2 mark[] = {at + ImVec2(0.2f, 0.5f) * side, at + ImVec2(0.43f, 0.75f) * side,
                           at + ImVec2(0.85f, 0.15f) * side};
    draw.AddPolyline(mark, 3, theme.good, 0.14f * em);
  }
  ImGui::Indent(1.5f * em);
  draw_text(task.text, theme);
  if (played.done) {
    draw_note(theme.good, "Done.");
    if (!task.why.empty()) draw_text(task.why, theme);
  } else {
    const std::size_t scenario = played.scenario.value_or(0);
    if (played.scenario && player.opened_scenario() != scenario) {
      if (ImGui::Button(fmt::format("Open its problem##task {}", block).c_str())) {
        requests.lesson = lesson_request(Kind::scenario, scenario);
      }
    } else {
      draw_note(theme.text_dim, "Change the session: this mark is set as soon as it holds.");
      draw_values(played.values, context.numbers_hidden, theme);
    }
    if (!task.hint.empty() && !played.hinted &&
        ImGui::Button(fmt::format("Hint##hint {}", block).c_str())) {
      requests.lesson = lesson_request(Kind::show_hint, block);
    }
    if (played.hinted) draw_text(task.hint, theme, theme.text_dim);
  }
  ImGui::Unindent(1.5f * em);
}

}  // namespace flashscope::window
