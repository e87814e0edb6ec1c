// Two computations side by side: A, the running program, and B, the same with one thing changed.
// The search for the place where they part runs on a thread of its own; the chosen row is compared
// at the position, where both have consumed the same keys.
#include <algorithm>
#include <cmath>
#include <list>

#include <fmt/format.h>

#include "sim/attention/faults.h"
#include "sim/error.h"
#include "sim/setup/setup.h"
#include "viz/terminal/screen.h"
#include "viz/window/panels/compare_choice.h"
#include "viz/window/panels/compare_result.h"
#include "viz/window/panels/compare_row.h"
#include "viz/window/text_input.h"

namespace flashscope::window {
namespace {

// A search up to here (some tenths of a second) starts by itself.
constexpr double kFlopsUnasked = 5e9;

enum class Cover : int { q_tile, head, all };
constexpr const char* kCovers[] = {"this q tile", "this head", "all heads"};

std::string flops_text(double flops) {
  const auto count = static_cast<std::int64_t>(std::min(flops, 9e18));
  return terminal::readable_count(count) + (count < 10'000 ? " flop" : "flop");
}

class ComparePanel final : public Panel {
 public:
  const char* title() const override { return "Compare"; }
  const char* summary() const override {
    return "The running program beside the same with one thing changed: where the two part, and "
           "how far apart they grow.";
  }
  void draw(const Context& context, Requests& requests) override;
  std::optional<views::Sheet> sheet(const Context& context) const override;

 private:
  void make_b(const Context& context);
  void start_search(const Context& context);
  double flops(const Context& context) const;
  void draw_search(const Context& context);
  void draw_difference(const Context& context, Requests& requests);
  void draw_plot(const Context& context, float height);
  void draw_row(const Context& context);

  CompareChoice choice_;
  std::uint64_t program_version_ = 0;
  bool begun_ = false;
  std::unique_ptr<Program> b_;  // null where the choice does not fit
  std::uint64_t version_of_b_ = 0;
  std::string failure_, note_;
  Cover cover_ = Cover::all;
  std::unique_ptr<views::DiffJob> job_;
  std::list<std::unique_ptr<views::DiffJob>> retired_;  // told to stop, still busy
  ComparedRow row_;
  std::string row_failure_;
  std::uint64_t failed_state_ = 0;
};

double ComparePanel::flops(const Context& context) const {
  const Problem& problem = context.program().problem();
  double part = 1;
  if (cover_ != Cover::all) {
    part /= std::max(1.0, static_cast<double>(problem.batch * problem.q_heads));
  }
  if (cover_ == Cover::q_tile) {
    part *= std::min(1.0, static_cast<double>(context.program().tiling().q_tile_rows) /
                              std::max(1.0, static_cast<double>(problem.q_len)));
  }
  return part * views::diff_flops(problem);
}

void ComparePanel::make_b(const Context& context) {
  row_.reset();
  b_.reset();
  ++version_of_b_;
  failure_.clear();
  note_.clear();
  row_failure_.clear();
  if (job_) {
    job_->stop();
    retired_.push_back(std::move(job_));
  }
  try {
    const ProblemOptions options = choice_.options(context);
    if (options.fault) {
      const Fault& fault = find_fault(*options.fault);
      if (!can_show_on(fault, context.program().problem())) {
        note_ = fmt::format("{} shows only {}.", fault.name, shows_where(fault.needs));
      }
    }
    Setup setup = set_up(options, Purpose::inspect, "pencil");
    b_ = std::make_unique<Program>(std::move(setup.programs.front()));
  } catch (const Error& error) {
    failure_ = error.what();
    return;
  }
  // As much as is cheap.
  for (const Cover cover : {Cover::all, Cover::head, Cover::q_tile}) {
    cover_ = cover;
    if (flops(context) <= kFlopsUnasked) break;
  }
  if (flops(context) <= kFlopsUnasked) start_search(context);
}

void ComparePanel::start_search(const Context& context) {
  if (job_) {
    job_->stop();
    retired_.push_back(std::move(job_));
  }
  std::optional<DiffScope> scope;
  const Program& a = context.program();
  if (cover_ != Cover::all && a.size() > 0) {
    const Segment& segment = context.session().segment();
    const std::int64_t row =
        std::max<std::int64_t>(row_.row().value_or(a.q_rows(segment).begin), 0);
    const Chain chain{segment.batch, segment.head, row / a.tiling().q_tile_rows};
    scope = views::scope_of_row(a, chain, row);
    if (cover_ == Cover::head) scope->rows = {0, a.problem().q_len};
  }
  job_ = std::make_unique<views::DiffJob>(context.scenario, a, *b_, scope);
}

void ComparePanel::draw_search(const Context& context) {
  const float em = ImGui::GetFontSize();
  const bool running = job_ && !job_->finished();
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("Search");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(8 * em);
  int cover = static_cast<int>(cover_);
  if (ImGui::Combo("##cover", &cover, kCovers, 3)) cover_ = static_cast<Cover>(cover);
  ImGui::SetItemTooltip("Where to look for the first difference: about %s",
                        flops_text(flops(context)).c_str());
  ImGui::SameLine();
  if (running) {
    if (ImGui::Button("Stop")) job_->stop();
    ImGui::SameLine();
    ImGui::ProgressBar(static_cast<float>(job_->progress()),
                       {std::max(4 * em, ImGui::GetContentRegionAvail().x), 0});
  } else {
    if (ImGui::Button("Run")) start_search(context);
    ImGui::SetItemTooltip(
        "Compare both sides row by row, wherever both have consumed the same keys");
  }
}

void ComparePanel::draw_difference(const Context& context, Requests& requests) {
  if (job_) {
    draw_search_result(context, requests, *job_, *b_);
    return;
  }
  wrapped_text(context.theme.text_dim,
               fmt::format("Not searched yet: {} is about {}. Press Run.",
                           kCovers[static_cast<int>(cover_)], flops_text(flops(context))));
}

void ComparePanel::draw_plot(const Context& context, float height) {
  const DiffResult* result =
      job_ && job_->finished() && job_->result() ? &*job_->result() : nullptr;
  const bool of_difference = result != nullptr && result->first.has_value();
  if (context.numbers_hidden || (!of_difference && !row_.ready())) return;
  const Theme& theme = context.theme;
  const float em = ImGui::GetFontSize();
  const auto words = [&](const char* text, ImU32 color, float gap) {
    ImGui::SameLine(0, gap);
    const float width = ImGui::CalcTextSize(text).x;
    if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(color), "%s", text);
  };
  ImGui::Text("Apart in row %lld, by keys consumed:",
              static_cast<long long>(of_difference ? result->first->row : *row_.row()));
  ImGui::SetItemTooltip(
      "|A − B| wherever both have consumed the same keys, last of the results as stored. Dashed: "
      "what rounding explains. Equal values lie at the bottom.");
  words("m + ln l", theme.tensor("m"), 0.5f * em);
  words("O / l", theme.tensor("O"), 0.8f * em);
  const double tolerance = diff_tolerance(context.program().precision(), b_->precision());
  draw_growth(theme, of_difference ? result->growth : row_.growth(), tolerance,
              {-1, std::max(7 * em, height - ImGui::GetTextLineHeightWithSpacing())});
}

void ComparePanel::draw_row(const Context& context) {
  if (!row_failure_.empty()) {
    wrapped_text(context.theme.bad, row_failure_);
  } else if (!row_.row()) {
    wrapped_text(context.theme.text_dim, "The head has none of the chosen rows.");
  } else if (!row_.ready()) {
    wrapped_text(context.theme.text_dim, fmt::format("Row {}: recording both sides, {:.0f} %",
                                                     *row_.row(), 100 * row_.progress()));
  } else {
    row_.draw(context, diff_tolerance(context.program().precision(), b_->precision()));
  }
}

void ComparePanel::draw(const Context& context, Requests& requests) {
  std::erase_if(retired_, [](const auto& job) { return job->finished(); });
  if (!begun_ || program_version_ != context.program_version) {
    begun_ = true;
    program_version_ = context.program_version;
    choice_.adapt(context);
    make_b(context);
  }
  const Theme& theme = context.theme;
  const Program& a = context.program();
  wrapped_text(theme.text_dim, fmt::format("A: {}, {}, tiles {} × {}", a.algorithm().full_name(),
                                           name_of(a.problem().dtype), a.tiling().q_tile_rows,
                                           a.tiling().kv_tile_rows));
  ImGui::SetItemTooltip(
      "A is the running program. Values set by hand count in the row below, not "
      "in the search.");
  if (choice_.draw()) make_b(context);
  if (!failure_.empty()) wrapped_text(theme.bad, failure_);
  if (!note_.empty()) wrapped_text(theme.text_dim, note_);
  if (!b_ || a.size() == 0) {
    if (a.size() == 0) wrapped_text(theme.text_dim, "The problem has no query row.");
    return;
  }
  // A failure is told until something changes, not computed anew in every frame.
  try {
    if (row_failure_.empty() || failed_state_ != context.state_version) {
      row_failure_.clear();
      row_.update(context, *b_, version_of_b_);
    }
  } catch (const Error& error) {
    row_failure_ = error.what();
    failed_state_ = context.state_version;
  }
  const bool recording = row_failure_.empty() && row_.row() && !row_.ready();
  const bool searching = job_ && !job_->finished();
  requests.another_frame = requests.another_frame || recording || searching;
  draw_search(context);
  ImGui::Separator();
  const float em = ImGui::GetFontSize();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  if (room.x > 30 * em) {
    const float left = std::floor(0.52f * room.x);
    const float height = std::max(12 * em, room.y);
    if (ImGui::BeginChild("##difference", {left, height})) {
      draw_difference(context, requests);
      ImGui::Spacing();
      draw_plot(context, ImGui::GetContentRegionAvail().y - ImGui::GetStyle().ItemSpacing.y);
    }
    ImGui::EndChild();
    ImGui::SameLine(0, em);
    if (ImGui::BeginChild("##row", {0, height})) draw_row(context);
    ImGui::EndChild();
    return;
  }
  draw_difference(context, requests);
  ImGui::Spacing();
  draw_plot(context, 13 * em);
  ImGui::Spacing();
  draw_row(context);
}

std::optional<views::Sheet> ComparePanel::sheet(const Context& context) const {
  if (!b_ || !row_.ready() || context.numbers_hidden ||
      program_version_ != context.program_version) {
    return std::nullopt;
  }
  return row_.sheet();
}

}  // namespace

std::unique_ptr<Panel> make_compare_panel() { return std::make_unique<ComparePanel>(); }

}  // namespace flashscope::window
