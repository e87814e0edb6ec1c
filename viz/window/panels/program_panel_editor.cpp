// See program_panel_editor.h. The text field of Dear ImGui draws its text in one colour; so its own
// is made transparent and the coloured words are drawn under it, letter by letter in the same
// place.
#include "viz/window/panels/program_panel_editor.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "sim/attention/faults.h"
#include "sim/error.h"
#include "sim/setup/setup.h"
#include "viz/window/panels/code_margin.h"

namespace flashscope::window {
namespace {

constexpr double kPause = 0.4;  // seconds without a key before a right text runs

constexpr int kArrivingFrames = 4;

struct Field {
  std::string* text = nullptr;
  int cursor = 0;
  bool put_cursor = false;  // where it is to be, not where it is
};

int on_text_event(ImGuiInputTextCallbackData* data) {
  Field& field = *static_cast<Field*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
    field.text->resize(static_cast<std::size_t>(data->BufTextLen));
    data->Buf = field.text->data();
  } else if (field.put_cursor) {
    data->CursorPos = data->SelectionStart = data->SelectionEnd =
        std::min(field.cursor, data->BufTextLen);
    field.put_cursor = false;
  } else {
    field.cursor = data->CursorPos;
  }
  return 0;
}

// The options that run this text in place of the present table. A fault that the text shows is part
// of it from now on.
ProblemOptions options_with(const Context& context, const std::string& text) {
  ProblemOptions options = context.options;
  const std::string original = original_table(options);
  const std::string& without_fault = options.table ? *options.table : original;
  if (context.program().algorithm().source != without_fault) options.fault.reset();
  options.table.reset();
  if (text != original) options.table = text;
  return options;
}

// Throws Error when the algorithm can't run on the present problem.
void make_program(const Context& context, Algorithm algorithm) {
  const Program& present = context.program();
  const ProblemOptions options = options_with(context, algorithm.source);
  if (options.fault) apply_fault(algorithm, *options.fault);
  Tiling tiling = base_tiling(options, algorithm);
  tiling.q_tile_rows = present.tiling().q_tile_rows;
  tiling.kv_tile_rows = present.tiling().kv_tile_rows;
  const Precision precision = flashscope::precision(options, algorithm, present.problem().dtype);
  Program(present.problem(), std::move(algorithm), tiling, precision);
}

}  // namespace

std::string original_table(const ProblemOptions& options) {
  try {
    return load_algorithm(options.algorithm).source;
  } catch (const Error&) {
    return "";
  }
}

void TableEditor::open(const Context& context, int current) {
  open_ = true;
  arriving_ = kArrivingFrames;
  put_cursor_ = true;
  const std::string& source = context.program().algorithm().source;
  if (text_.empty() || source != running_) {
    running_ = sent_ = source;
    set_text(context, source);
  }
  cursor_ = 0;
  for (int line = 1; line < current; ++line) {
    const std::size_t end = text_.find('\n', static_cast<std::size_t>(cursor_));
    if (end != std::string::npos) cursor_ = static_cast<int>(end) + 1;
  }
}

void TableEditor::set_text(const Context& context, std::string text) {
  text_ = std::move(text);
  check(context);
  waits_ = false;
}

void TableEditor::revert(const Context& context, Requests& requests) {
  const std::string original = original_table(context.options);
  if (context.options.table || context.program().algorithm().source != original) {
    requests.settings = options_with(context, original);
  }
  sent_ = original;
  set_text(context, original);
}

void TableEditor::check(const Context& context) {
  mistake_ = views::check_table(
      text_, [&](Algorithm algorithm) { make_program(context, std::move(algorithm)); });
  code_ = views::table_lines(text_, context.program().algorithm().buffers);
  changes_ = views::table_changes(original_table(context.options), text_);
  waits_ = !mistake_ && text_ != running_;
}

// Another table runs, and not because of what was typed here: it is what is edited now.
void TableEditor::follow_running_table(const Context& context) {
  const std::string& source = context.program().algorithm().source;
  if (source == running_) return;
  running_ = source;
  if (source != sent_) set_text(context, source);
}

void TableEditor::keep_cursor_in_view(float advance, float margin) const {
  const std::string_view before = std::string_view(text_).substr(
      0, std::min(static_cast<std::size_t>(std::max(cursor_, 0)), text_.size()));
  const float size = ImGui::GetFontSize();
  const auto line = static_cast<float>(std::count(before.begin(), before.end(), '\n'));
  const auto column = static_cast<float>(views::columns_of(
      before.substr(before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1)));
  const auto keep = [](float at, float spare, float scroll, float seen) {
    if (at - spare < scroll) return std::max(0.0f, at - spare);
    return std::max(scroll, at + 2 * spare - seen);
  };
  const float scroll =
      keep(line * size, 2 * size, ImGui::GetScrollY(), ImGui::GetWindowHeight() - size);
  ImGui::SetScrollY(std::ceil(scroll / size) * size);
  ImGui::SetScrollX(
      keep(margin + column * advance, margin, ImGui::GetScrollX(), ImGui::GetWindowWidth()));
}

void TableEditor::edit_text(const Theme& theme, ImVec2 size) {
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0.0f);
  ImGui::PushStyleColor(ImGuiCol_Text, ImU32{0});
  ImGui::PushStyleColor(ImGuiCol_FrameBg, ImU32{0});
  ImGui::PushStyleColor(ImGuiCol_NavCursor, ImU32{0});  // the text cursor shows where one is
  ImGui::PushStyleColor(ImGuiCol_InputTextCursor, theme.text);
  if (arriving_ == kArrivingFrames) ImGui::SetKeyboardFocusHere();
  // Escape leaves the field; Dear ImGui would also take back all that was typed.
  const bool escape = ImGui::IsKeyPressed(ImGuiKey_Escape, false);
  const std::string kept = escape ? text_ : "";
  Field field{&text_, cursor_, put_cursor_};
  ImGui::InputTextMultiline("##table_text", text_.data(), text_.capacity() + 1, size,
                            ImGuiInputTextFlags_CallbackResize | ImGuiInputTextFlags_CallbackAlways,
                            on_text_event, &field);
  if (escape) text_ = kept;
  cursor_moved_ = field.cursor != cursor_ || arriving_ > 0;
  arriving_ = std::max(0, arriving_ - 1);
  cursor_ = field.cursor;
  put_cursor_ = field.put_cursor;
  ImGui::PopStyleColor(4);
  ImGui::PopStyleVar(2);
}

// Numbers stay at the left edge; the words move with the scroll position, from `origin` on.
void TableEditor::draw_code(const Theme& theme, int current, ImVec2 origin) const {
  const Margin margin(code_.size());
  const float height = ImGui::GetFontSize(), advance = ImGui::CalcTextSize("0").x;
  const ImVec2 first = ImGui::GetWindowPos();
  const ImVec2 last = {first.x + ImGui::GetWindowWidth(), first.y + ImGui::GetWindowHeight()};
  ImDrawList* const draw = ImGui::GetWindowDrawList();
  for (std::size_t n = 0; n < code_.size(); ++n) {
    const views::CodeLine& code = code_[n];
    const float y = origin.y + static_cast<float>(n) * height;
    if (y + height < first.y || y > last.y) continue;
    const int line = static_cast<int>(n) + 1;
    LineLook look;
    look.mistake = mistake_ && mistake_.line == line;
    look.changed = std::binary_search(changes_.lines.begin(), changes_.lines.end(), line);
    look.gone_below = std::binary_search(changes_.removed.begin(), changes_.removed.end(), line);
    if (line == current && text_ == running_) look.mark = LineLook::Mark::current;
    if (look.mistake || look.mark == LineLook::Mark::current) {
      draw->AddRectFilled({first.x, y}, {last.x, y + height},
                          Theme::faded(look.mistake ? theme.bad : theme.accent, 0.18f));
    }
    draw_margin(theme, margin, line, look, {first.x, y}, height);
    ImGui::PushClipRect({first.x + margin.width, first.y}, last, true);
    for (const views::Span& span : code.spans) {
      const std::string_view text = code.text;
      const std::string_view word = text.substr(span.begin, span.end - span.begin);
      const float x = ImGui::CalcTextSize(text.data(), text.data() + span.begin).x;
      draw->AddText({origin.x + x, y}, ink_colour(theme, span.ink, word), word.data(),
                    word.data() + word.size());
    }
    if (look.mistake && mistake_.column > 0) {  // a mark under the place
      const float x = origin.x + static_cast<float>(mistake_.column - 1) * advance;
      draw->AddRectFilled({x, y + height - 2}, {x + 2 * advance, y + height}, theme.bad);
    }
    ImGui::PopClipRect();
  }
}

void TableEditor::draw(const Context& context, Requests& requests, int current, ImVec2 size) {
  follow_running_table(context);
  const Theme& theme = context.theme;
  ImGui::PushFont(theme.mono, 0.0f);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::BeginChild("##table_editor", size, ImGuiChildFlags_None,
                    ImGuiWindowFlags_HorizontalScrollbar);
  const float advance = ImGui::CalcTextSize("0").x, height = ImGui::GetFontSize();
  const Margin margin(code_.size());
  if (cursor_moved_) keep_cursor_in_view(advance, margin.width);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const ImVec2 origin = {corner.x + margin.width, corner.y};
  draw_code(theme, current, origin);

  // As large as the text: it is this child that scrolls, not the field.
  int longest = 0;
  for (const views::CodeLine& code : code_) {
    longest = std::max(longest, views::columns_of(code.text));
  }
  const float width = std::max(ImGui::GetContentRegionAvail().x - margin.width,
                               static_cast<float>(longest + 4) * advance);
  const float lines = static_cast<float>(code_.size()) + 2;
  ImGui::SetCursorScreenPos(origin);
  const std::string before = text_;
  edit_text(theme, {width, std::max(lines * height, ImGui::GetWindowHeight() - 2 * height)});
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ImGui::PopFont();

  // Focus, cursor and scroll position each take effect a frame later.
  requests.another_frame = requests.another_frame || arriving_ > 0;
  if (text_ != before) {
    check(context);
    typed_at_ = ImGui::GetTime();
  }
  if (waits_ && ImGui::GetTime() - typed_at_ >= kPause) {
    requests.settings = options_with(context, text_);
    sent_ = text_;
    waits_ = false;
  }
}

void TableEditor::draw_status(const Context& context) const {
  const Theme& theme = context.theme;
  ImGui::PushStyleColor(ImGuiCol_Text, mistake_ ? theme.bad : waits_ ? theme.text_dim : theme.good);
  if (mistake_) {
    const std::string place =
        mistake_.line > 0 ? fmt::format("Line {}, column {}: ", mistake_.line, mistake_.column)
                          : std::string("The table can't run: ");
    ImGui::TextWrapped("%s%s", place.c_str(), mistake_.message.c_str());
  } else if (waits_) {
    ImGui::TextWrapped("Right; it runs in a moment");
  } else {
    ImGui::TextWrapped("✓ Runs: %s", views::describe(changes_, context.options.algorithm).c_str());
  }
  ImGui::PopStyleColor();
}

}  // namespace flashscope::window
