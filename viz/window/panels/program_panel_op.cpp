// See program_panel_op.h.
#include "viz/window/panels/program_panel_op.h"

#include <algorithm>

#include <fmt/format.h>

#include "viz/terminal/screen.h"
#include "viz/terminal/walk_text.h"
#include "viz/views/program_view.h"
#include "viz/views/walk_words.h"
#include "viz/window/op_changes.h"

namespace flashscope::window {
namespace {

using views::Change;

constexpr float kWidePlace = 38;  // times the font's size: an op's place fits into one line

// The first selected one that the op's q tile holds.
std::vector<std::int64_t> shown_row(const Context& context, const Segment& segment) {
  const IndexRange held = context.program().q_rows(segment);
  for (const std::int64_t row : context.selection.rows) {
    if (held.contains(row)) return {row};
  }
  return {};
}

struct Word {
  std::string text;
  ImU32 colour = 0;
};

void add_words(std::vector<Word>& words, std::string_view text, ImU32 colour) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back({std::string(text.substr(0, end)), colour});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// Words in the mono font, from left to right; what does not fit goes below, indented.
void flow(const std::vector<Word>& words) {
  const float space = ImGui::CalcTextSize(" ").x, height = ImGui::GetTextLineHeightWithSpacing();
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float right = origin.x + ImGui::GetContentRegionAvail().x;
  ImVec2 at = origin;
  for (const Word& word : words) {
    const float width = ImGui::CalcTextSize(word.text.c_str()).x;
    if (at.x + width > right && at.x > origin.x) at = {origin.x + 3 * space, at.y + height};
    ImGui::GetWindowDrawList()->AddText(at, word.colour, word.text.c_str());
    at.x += width + space;
  }
  ImGui::Dummy({1, at.y - origin.y + ImGui::GetTextLineHeight()});
}

// In one line, or two where it is narrow, however long the text is: what stands below stays where
// it is from op to op. What does not fit is left to a tooltip.
void draw_place(const std::string& text) {
  const float room = ImGui::GetContentRegionAvail().x, line = ImGui::GetTextLineHeight();
  const float height = room < kWidePlace * ImGui::GetFontSize() ? 2 * line : line;
  const auto fits = [&](const std::string& shown) {
    return ImGui::CalcTextSize(shown.c_str(), nullptr, false, room).y <= height + 0.5f;
  };
  std::string rest = text, shown = text;
  while (!fits(shown) && rest.find(' ') != std::string::npos) {
    rest.resize(rest.rfind(' '));
    shown = rest + " …";
  }
  const float top = ImGui::GetCursorPosY();
  ImGui::TextWrapped("%s", shown.c_str());
  if (shown != text) ImGui::SetItemTooltip("%s", text.c_str());
  ImGui::SetCursorPosY(top);
  ImGui::Dummy({0, height});
}

}  // namespace

std::string sentence(std::string_view meaning) {
  std::string result(meaning);
  if (!result.empty() && result.front() >= 'a' && result.front() <= 'z')
    result.front() -= 'a' - 'A';
  return result;
}

OpText op_text(const Context& context) {
  const Session& session = context.session();
  const Program& program = context.program();
  OpText text;
  if (session.at_end()) {
    text.place = program.size() == 0
                     ? "this problem has no ops"
                     : fmt::format("all {} ops are done", terminal::grouped(program.size()));
    return text;
  }
  const Segment& segment = session.segment();
  text.place =
      fmt::format("work item {}: {}", segment.work_item, views::place_text(program, segment));
  text.progress = fmt::format("op {} of {}", terminal::grouped(session.position()),
                              terminal::grouped(program.size()));
  const Op op = session.next_op();
  const Line& line = program.algorithm().lines[static_cast<std::size_t>(op.line)];
  text.statement = line.text;
  text.meaning = sentence(views::form_of(line, program.algorithm()).meaning);
  text.changes = changes_of_next_op(session, shown_row(context, segment));
  return text;
}

void draw_changes(const std::vector<Change>& changes, bool hidden, const Theme& theme) {
  ImGui::PushFont(theme.mono, 0.0f);
  for (const Change& change : changes) {
    std::vector<Word> words;
    add_words(words, change.target, theme.tensor(change.target));
    if (!change.formula.empty() && !hidden) {
      add_words(words, "= " + change.formula, Theme::faded(theme.text, 0.8f));
    }
    add_words(words, "=", Theme::faded(theme.text, 0.8f));
    add_words(words, hidden ? "?" : change.value, theme.text);
    flow(words);
  }
  ImGui::PopFont();
}

void draw_op_strip(const OpText& text, bool hidden, const Theme& theme) {
  ImGui::PushStyleColor(ImGuiCol_Text, theme.text_dim);
  const std::string where =
      text.progress.empty() ? text.place : fmt::format("{} · {}", text.progress, text.place);
  draw_place(where);
  ImGui::PopStyleColor();
  if (text.statement.empty()) return;
  ImGui::TextWrapped("%s", text.meaning.c_str());
  draw_changes(text.changes, hidden, theme);
}

}  // namespace flashscope::window
