// What the search has found; see compare_result.h.
#include "viz/window/panels/compare_result.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "viz/terminal/screen.h"
#include "viz/window/text_input.h"

namespace flashscope::window {

void draw_search_result(const Context& context, Requests& requests, const views::DiffJob& job,
                        const Program& b) {
  const Theme& theme = context.theme;
  if (!job.finished()) return;
  if (!job.error().empty()) {
    wrapped_text(theme.bad, job.error());
    return;
  }
  if (!job.result()) {
    wrapped_text(theme.text_dim, "Stopped before the end.");
    return;
  }
  const DiffResult& result = *job.result();
  std::string covered;
  if (const auto& scope = job.scope()) {
    covered = fmt::format(" in batch {}, head {}, rows {}–{}", scope->batch, scope->head,
                          scope->rows.begin, scope->rows.end - 1);
  }
  if (!result.first) {
    if (result.compared_points == 0) {
      wrapped_text(theme.text_dim, fmt::format("Nothing to compare{}.", covered));
    } else {
      wrapped_text(theme.good, fmt::format("No difference in {} points of {} rows{}.",
                                           terminal::grouped(result.compared_points),
                                           terminal::grouped(result.compared_rows), covered));
      ImGui::SetItemTooltip(
          "A point: the same row, the same keys consumed. Tolerance %.1e, "
          "relative to max(1, size), from the precisions of both sides.",
          job.tolerance());
    }
    return;
  }
  const Difference& d = *result.first;
  const auto line_of = [](const Program& program, std::int64_t op) {
    return program.algorithm().lines[static_cast<std::size_t>(program.op(op).line)].text;
  };
  wrapped_text(theme.bad,
               fmt::format("{} of {} rows differ{}.", terminal::grouped(result.differing_rows),
                           terminal::grouped(result.compared_rows), covered));
  ImGui::SetItemTooltip(
      "By more than %.1e, relative to max(1, size): what rounding in the "
      "precisions of both sides explains.",
      job.tolerance());
  if (context.numbers_hidden) {
    wrapped_text(theme.text_dim, "Where do they part first? Predict, then reveal.");
    return;
  }
  ImGui::TextWrapped("First: batch %lld, head %lld, %s %lld, after keys %lld–%lld",
                     static_cast<long long>(d.batch), static_cast<long long>(d.head),
                     context.program().group() > 1 ? "query row" : "row",
                     static_cast<long long>(d.row), static_cast<long long>(d.kv_begin),
                     static_cast<long long>(d.kv_end - 1));
  ImGui::TextWrapped("%s: A %s, B %s, apart %s",
                     d.quantity == "lse" ? "m + ln l" : d.quantity.c_str(),
                     fmt::format("{:.6g}", d.a).c_str(), fmt::format("{:.6g}", d.b).c_str(),
                     fmt::format("{:.2g}", std::abs(d.a - d.b)).c_str());
  wrapped_text(theme.text_dim,
               fmt::format("behind op {} of A ({}) and op {} of B ({})", d.op_a,
                           line_of(context.program(), d.op_a), d.op_b, line_of(b, d.op_b)));
  if (ImGui::Button("Go there##difference")) {
    // Behind the op, and with the row in view.
    requests.go_to = std::min(d.op_a + 1, context.program().size());
    Selection selection = context.selection;
    const std::int64_t group = context.program().group();
    selection.rows = {d.row * group + d.head % group};
    requests.selection = std::move(selection);
  }
  ImGui::SetItemTooltip("To behind this op of A; the row is chosen in all panels");
}

}  // namespace flashscope::window
