// The softmax state of chosen rows: m, l, alpha and m + ln l over the steps, what they are now
// beside the fp64 truth, what the present step corrects, and the weights so far. The chain of the
// rows is executed once, a little in every frame, and read back at any position.
#include <algorithm>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/setup/parse_values.h"
#include "viz/terminal/screen.h"
#include "viz/window/panels/softmax_panel_parts.h"
#include "viz/window/text_input.h"

namespace flashscope::window {
namespace {

constexpr std::size_t kMostRows = 8;
// Of a frame, for recording: at a new chain or while ops fly by, and while the user looks.
constexpr double kSecondsMoving = 0.0008, kSecondsAtRest = 0.006;

// "0, 3-5"
std::string row_list(const std::vector<std::int64_t>& rows) {
  std::string text;
  for (std::size_t n = 0; n < rows.size();) {
    std::size_t end = n + 1;
    while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
    text += text.empty() ? "" : ",";
    text +=
        end - n == 1 ? fmt::format("{}", rows[n]) : fmt::format("{}-{}", rows[n], rows[end - 1]);
    n = end;
  }
  return text;
}

std::string range_text(const char* one, const char* many, IndexRange range) {
  return range.size() == 1 ? fmt::format("{} {}", one, range.begin)
                           : fmt::format("{} {}–{}", many, range.begin, range.end - 1);
}

class SoftmaxPanel final : public Panel {
 public:
  const char* title() const override { return "Softmax state"; }
  const char* summary() const override {
    return "m, l and alpha of chosen rows over the steps, beside the fp64 truth; and the row's "
           "weights as they settle.";
  }
  void draw(const Context& context, Requests& requests) override;
  std::optional<views::Sheet> sheet(const Context& context) const override;

 private:
  void record(const Context& context, const std::vector<std::int64_t>& rows);
  void draw_choice(const Context& context, Requests& requests);
  void draw_state(const Context& context, Requests& requests, const views::SoftmaxNow& now);
  void draw_weights(const Context& context, const views::SoftmaxNow& now, float height);

  std::unique_ptr<views::ChainRecorder> recorder_;
  std::uint64_t program_version_ = 0;  // of the recorder
  std::vector<std::int64_t> rows_;     // being recorded
  std::vector<SetEvent> events_;
  std::uint64_t version_ = 0;  // counts what has been recorded
  std::string failure_;        // a mask expression that fails on some element
  SoftmaxPlots plots_;
  SoftmaxWeights weights_;
  std::size_t focus_ = 0;  // of rows_

  char typed_[96] = "";
  std::string complaint_;                        // about what was typed
  std::vector<std::int64_t> shown_rows_ = {-1};  // of the selection, that typed_ shows
};

void SoftmaxPanel::record(const Context& context, const std::vector<std::int64_t>& rows) {
  const Session& session = context.session();
  const Segment& segment = session.segment();
  const Chain chain{segment.batch, segment.head,
                    rows.front() / context.program().tiling().q_tile_rows};
  if (!recorder_ || program_version_ != context.program_version) {
    recorder_.reset();
    recorder_ = std::make_unique<views::ChainRecorder>(session.scenario(), context.program());
    program_version_ = context.program_version;
    rows_.clear();
  }
  const Chain& recorded = recorder_->recording().chain;
  const bool same_chain = recorded.batch == chain.batch && recorded.head == chain.head &&
                          recorded.q_tile == chain.q_tile;
  const bool anew = !same_chain || rows != rows_ || events_ != session.events();
  if (anew) {
    rows_ = rows;
    events_ = session.events();
    failure_.clear();
    recorder_->start(chain, rows, events_, false);
    ++version_;
  }
  if (recorder_->recording().complete || !failure_.empty()) return;
  try {
    recorder_->advance(anew || context.playback.playing() ? kSecondsMoving : kSecondsAtRest);
  } catch (const Error& error) {
    failure_ = error.what();
  }
  ++version_;
  plots_.update(recorder_->recording());
}

// The rows' input field, where they lie, and what to do when they are not at hand.
void SoftmaxPanel::draw_choice(const Context& context, Requests& requests) {
  const Program& program = context.program();
  const Session& session = context.session();
  const float em = ImGui::GetFontSize();
  const std::vector<std::int64_t>& chosen = rows_.empty() ? context.selection.rows : rows_;
  if (chosen != shown_rows_) {
    shown_rows_ = chosen;
    complaint_.clear();
    const std::string text = row_list(chosen);
    *fmt::format_to_n(typed_, sizeof typed_ - 1, "{}", text).out = 0;
  }
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("Rows");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(6 * em);
  if (ImGui::InputText("##rows", typed_, sizeof typed_, ImGuiInputTextFlags_EnterReturnsTrue)) {
    try {
      Selection selection = context.selection;
      selection.rows = parse_rows(typed_, "rows");
      complaint_.clear();
      requests.selection = std::move(selection);
    } catch (const Error& error) {
      complaint_ = error.what();
    }
  }
  ImGui::SetItemTooltip(
      "Query rows of the head, such as 0 or 3,5-7; with packed query groups, packed rows.\n"
      "Up to %zu rows of one q tile are shown.",
      kMostRows);
  // One of several rows stands out.
  for (std::size_t n = 0; rows_.size() > 1 && n < rows_.size(); ++n) {
    const std::string label = std::to_string(rows_[n]);
    const float width = ImGui::CalcTextSize(label.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
    ImGui::SameLine(0, 0.3f * em);
    if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
    const bool on = n == focus_;
    if (on) ImGui::PushStyleColor(ImGuiCol_Button, Theme::faded(context.theme.accent, 0.35f));
    if (ImGui::Button(fmt::format("{}##row", label).c_str())) focus_ = n;
    if (on) ImGui::PopStyleColor();
    ImGui::SetItemTooltip("Let row %s stand out", label.c_str());
  }
  static constexpr const char* kLegend =
      "bold: done · faint: to come · thin: fp64, where it differs";
  const float legend = ImGui::CalcTextSize(kLegend).x;
  ImGui::SameLine();
  if (const float room = ImGui::GetContentRegionAvail().x; room > legend && !rows_.empty()) {
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - legend);
    ImGui::TextDisabled("%s", kLegend);
  } else {
    ImGui::NewLine();
  }
  if (!complaint_.empty()) wrapped_text(context.theme.bad, complaint_);

  const Segment& segment = session.segment();
  const IndexRange here = views::rows_at_hand(session);
  const std::int64_t total = program.problem().q_len * program.group();
  if (rows_.empty()) {
    wrapped_text(context.theme.text_dim,
                 fmt::format("The head has {}.", range_text("row", "rows", {0, total})));
  }
  const bool at_hand = !rows_.empty() && here.contains(rows_[std::min(focus_, rows_.size() - 1)]);
  if (at_hand || here.empty()) return;
  wrapped_text(context.theme.text_dim,
               fmt::format("Not in the q tile at hand: q tile {} of head {} has {}.",
                           here.begin / program.tiling().q_tile_rows, segment.head,
                           range_text("row", "rows", here)));
  if (ImGui::Button("Rows of this q tile")) {
    Selection selection = context.selection;
    selection.rows = views::moved_to_tile(session, chosen);
    requests.selection = std::move(selection);
  }
}

void SoftmaxPanel::draw_state(const Context& context, Requests& requests,
                              const views::SoftmaxNow& now) {
  const Theme& theme = context.theme;
  const views::ChainRecording& recording = recorder_->recording();
  const Problem& problem = context.program().problem();
  std::string where = fmt::format("Row {}", rows_[focus_]);
  if (context.program().heads() > 1) where += fmt::format(" of head {}", recording.chain.head);
  if (problem.batch > 1) where += fmt::format(", batch {}", recording.chain.batch);
  where += fmt::format(": {} of {} steps done", now.steps.done, recording.total_steps);
  if (now.steps.under_way) {
    where += fmt::format(", kv tile {} under way", recording.steps[*now.steps.under_way].kv_tile);
  }
  wrapped_text(theme.text_dim, where);
  draw_state_table(context, now);
  ImGui::Spacing();
  const views::Correction correction =
      views::correction(context.program(), recording, focus_, context.session().position());
  if (context.numbers_hidden) {
    wrapped_text(theme.text_dim, "What is corrected at this step? Predict, then reveal.");
    return;
  }
  wrapped_text(correction.wrong ? theme.bad : theme.text, correction.text);
  // The row that stands out, or else the first of the others that goes wrong.
  for (std::size_t n = 0; n <= rows_.size(); ++n) {
    const std::size_t row = n == 0 ? focus_ : n - 1;
    const auto departs = recording.rows[row].first_departure;
    if (!departs) continue;
    wrapped_text(theme.bad, fmt::format("Row {} {}", rows_[row],
                                        views::departure_text(recording, row, *departs)));
    if (ImGui::Button("Go there##departure")) requests.go_to = recording.steps[*departs].end_op;
    ImGui::SetItemTooltip("To behind the first step whose state is off by more than rounding");
    break;
  }
  if (!recording.complete) {
    wrapped_text(theme.text_dim,
                 fmt::format("recording the chain: {:.0f} %", 100 * recorder_->progress()));
  }
}

void SoftmaxPanel::draw_weights(const Context& context, const views::SoftmaxNow& now,
                                float height) {
  const Theme& theme = context.theme;
  const float em = ImGui::GetFontSize();
  ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(theme.tensor("P")), "weights so far");
  ImGui::SetItemTooltip(
      "What every consumed key weighs in O / l: its P, times alpha of every later step, / l.\n"
      "They shrink to the softmax over all keys as m and l settle.");
  ImGui::SameLine(0, 0.6f * em);
  static constexpr const char* kLong = "outlined: the softmax over all keys (fp64)";
  const bool roomy = ImGui::GetContentRegionAvail().x > ImGui::CalcTextSize(kLong).x;
  ImGui::TextDisabled("%s", roomy ? kLong : "outlined: all keys");
  ImGui::SetItemTooltip("e^(S − LSE) in fp64, with LSE over all keys that the row sees.");
  const bool adds_values = views::softmax_tiles(context.program().algorithm())->p >= 0;
  weights_.draw(theme, adds_values, recorder_->recording(), focus_, now.steps.done, version_,
                {ImGui::GetContentRegionAvail().x,
                 std::max(5 * em, height - ImGui::GetTextLineHeightWithSpacing())});
}

void SoftmaxPanel::draw(const Context& context, Requests& requests) {
  const float em = ImGui::GetFontSize();
  if (!views::softmax_tiles(context.program().algorithm())) {
    rows_.clear();
    if (context.numbers_hidden) {
      ImGui::TextWrapped("%s keeps no running state.", context.program().algorithm().name.c_str());
    } else {
      ImGui::TextWrapped("%s", views::no_running_state(context.session()).c_str());
    }
    return;
  }
  const std::vector<std::int64_t> rows =
      views::rows_to_show(context.session(), context.selection.rows, kMostRows);
  if (context.program().size() == 0) {
    ImGui::TextDisabled("The problem has no query row.");
    return;
  }
  if (rows.empty()) {
    rows_.clear();
    draw_choice(context, requests);
    return;
  }
  record(context, rows);
  focus_ = std::min(focus_, rows_.size() - 1);
  draw_choice(context, requests);
  if (!failure_.empty()) {
    wrapped_text(context.theme.bad, failure_);
    return;
  }
  const views::ChainRecording& recording = recorder_->recording();
  requests.another_frame = requests.another_frame || !recording.complete;
  const views::SoftmaxNow now = views::softmax_now(context.session(), recording, focus_);

  if (context.numbers_hidden) {
    draw_state(context, requests, now);
    return;
  }
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float gap = ImGui::GetStyle().ItemSpacing.y;
  const auto draw_plots = [&](ImVec2 size, int columns) {
    if (const auto op = plots_.draw(context.theme, recording, focus_, now, size, columns)) {
      requests.go_to = op;
    }
  };
  if (room.x <= 34 * em) {
    draw_state(context, requests, now);
    ImGui::Spacing();
    const int columns = room.x > 22 * em ? 2 : 1;
    draw_plots({room.x, columns == 2 ? 17 * em : 30 * em}, columns);
    draw_weights(context, now, 9 * em);
    return;
  }
  // Plots beside the state; the weights below both, or below the state where height is scarce.
  const bool flat = room.y < 30 * em;
  const float right = std::clamp(0.38f * room.x, 20 * em, 30 * em);
  const float weights = std::clamp(0.34f * room.y, 9 * em, 18 * em);
  const float height = flat ? std::max(16 * em, room.y) : room.y - weights - gap;
  const ImVec2 corner = ImGui::GetCursorPos();
  draw_plots({room.x - right - 1.5f * em, height}, 2);
  ImGui::SetCursorPos(corner + ImVec2(room.x - right, 0));
  if (ImGui::BeginChild("##state now", {0, height})) {
    draw_state(context, requests, now);
    if (flat) {
      ImGui::Spacing();
      draw_weights(context, now, ImGui::GetContentRegionAvail().y);
    }
  }
  ImGui::EndChild();
  if (!flat) draw_weights(context, now, weights);
}

std::optional<views::Sheet> SoftmaxPanel::sheet(const Context& context) const {
  const bool ready = recorder_ && program_version_ == context.program_version && !rows_.empty() &&
                     recorder_->recording().complete && !context.numbers_hidden;
  if (!ready) return std::nullopt;
  return views::softmax_sheet(recorder_->recording());
}

}  // namespace

std::unique_ptr<Panel> make_softmax_panel() { return std::make_unique<SoftmaxPanel>(); }

}  // namespace flashscope::window
