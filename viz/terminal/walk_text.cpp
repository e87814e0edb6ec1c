// Text of walks; see walk_text.h. Lines fit the terminal's width; a wide one takes several numbers
// side by side.
#include "viz/terminal/walk_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "viz/terminal/screen.h"
#include "viz/views/walk_words.h"

namespace flashscope::terminal {
namespace {

constexpr int kWideScreen = 96;  // columns from which more values fit beside each other

bool close(double a, double b, double tolerance) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return true;
  return std::abs(a - b) <= tolerance;
}

// Lists end in " … (N)" when they show only some of N numbers; these may show fewer still.
void shorten_list(std::string& text, int width) {
  while (display_width(text) > width) {
    const std::size_t end = text.rfind(" … (");
    if (end == std::string::npos || end == 0) return;
    const std::size_t last = text.rfind(' ', end - 1);
    if (last == std::string::npos) return;
    text.erase(last, end - last);
  }
}

}  // namespace

WalkText::WalkText(const Scenario& scenario, const Program& program, const Interpreter& machine,
                   std::FILE* output, int width)
    : scenario_(scenario),
      program_(program),
      output_(output),
      formulas_(program, machine),
      width_(width),
      op_digits_(std::max(2, static_cast<int>(std::to_string(program.size() - 1).size()))) {}

void WalkText::heading(const views::Walker& walker) const {
  const Algorithm& algorithm = program_.algorithm();
  const auto print_line = [this](const std::string& line) {
    fmt::print(output_, "{}\n", wrapped(line));
  };
  print_line(fmt::format("{} on {}, {}", styled(algorithm.full_name(), Style::title),
                         scenario_.title, describe(program_.problem())));
  if (!algorithm.title.empty()) print_line(styled(algorithm.title, Style::dim));
  const auto& items = walker.work_items();
  const std::string which =
      items.size() == 1
          ? fmt::format("work item {} of {}", *items.begin(), program_.work_items())
          : fmt::format("{} of {} work items, those of {} {}", items.size(), program_.work_items(),
                        walker.whole_head() ? "head" : "q tile",
                        walker.whole_head() ? walker.chain().head : walker.chain().q_tile);
  std::vector<IndexRange> rows;
  for (const std::int64_t row : walker.rows()) rows.push_back({row, row + 1});
  print_line(fmt::format("{}: batch {}, head {}; tiles {} x {}; showing row{} {}",
                         styled(which, Style::number), walker.chain().batch, walker.chain().head,
                         program_.tiling().q_tile_rows, program_.tiling().kv_tile_rows,
                         rows.size() == 1 ? "" : "s", views::ranges_text(rows)));
}

void WalkText::segment_heading(const views::WalkEvent& event) const {
  const std::string text = views::place_text(program_, *event.segment);
  // The bytes before this op: the heading stands at its beginning.
  const bool load = event.line->kind == LineKind::load;
  const std::string bytes = fmt::format(
      "loaded {}, stored {} B", grouped(event.load_bytes - (load ? event.copied_bytes : 0)),
      grouped(event.store_bytes - (load ? 0 : event.copied_bytes)));
  const int space = width_ - display_width(text) - display_width(bytes) - 4;
  if (space >= 2) {
    fmt::print(output_, "\n{} {} {}\n", styled(text, Style::title),
               styled(std::string(static_cast<std::size_t>(space), '-'), Style::dim),
               styled(bytes, Style::bytes));
  } else {
    fmt::print(output_, "\n{}\n  {}\n", styled(text, Style::title), styled(bytes, Style::bytes));
  }
}

void WalkText::changes(std::vector<views::Change> changes) const {
  if (changes.empty()) return;
  const int indent = op_digits_ + 4;
  int target = 0, formula = 0, value = 0;
  for (const views::Change& change : changes) {
    target = std::max(target, display_width(change.target));
    formula = std::max(formula, display_width(change.formula));
  }
  for (views::Change& change : changes) {
    shorten_list(change.value, width_ - indent - target - (formula > 0 ? formula + 3 : 0) - 3);
    value = std::max(value, display_width(change.value));
  }
  const int cell = target + (formula > 0 ? formula + 3 : 0) + 3 + value;
  const int columns = std::clamp((width_ - indent + 4) / (cell + 4), 1, 4);
  for (std::size_t n = 0; n < changes.size(); ++n) {
    const bool starts = n % static_cast<std::size_t>(columns) == 0;
    const bool ends = n + 1 == changes.size() || (n + 1) % static_cast<std::size_t>(columns) == 0;
    const views::Change& change = changes[n];
    std::string text = starts ? std::string(static_cast<std::size_t>(indent), ' ') : "    ";
    text += pad_right(change.target, target);
    if (formula > 0) {
      text += (change.formula.empty() ? "   " : " = ") + pad_right(change.formula, formula);
    }
    text += " = " + styled(ends ? change.value : pad_right(change.value, value), Style::number);
    fmt::print(output_, "{}{}", columns == 1 ? wrapped(text, indent + target + 3) : text,
               ends ? "\n" : "");
  }
}

void WalkText::truth(const PrefixTruth& truth) const {
  const std::size_t most = width_ >= kWideScreen ? 4 : 2;
  Table table("lllll");
  table.header({fmt::format("keys {}", views::ranges_text(truth.keys)), "", "here", "fp64 so far",
                "off by"});
  const bool divides = program_.algorithm().estimate->o_divisor >= 0;
  for (const PrefixTruth::Row& row : truth.rows) {
    const Precision& precision = program_.precision();
    const bool lse_ok = close(row.lse_here, row.lse_true, truth_tolerance(precision, row.lse_true));
    const double lse_error = row.lse_here == row.lse_true ? 0 : row.lse_here - row.lse_true;
    table.row(
        {fmt::format("row {}", row.row), "m + ln l", short_number(row.lse_here),
         short_number(row.lse_true),
         styled(fmt::format("{:.0e}", std::abs(lse_error)), lse_ok ? Style::good : Style::bad)});
    double worst = 0, largest = 0;
    for (const double value : row.o_true) largest = std::max(largest, std::abs(value));
    const double limit = truth_tolerance(precision, largest);
    bool ok = true;
    for (std::size_t d = 0; d < row.o_here.size(); ++d) {
      ok = ok && close(row.o_here[d], row.o_true[d], limit);
      if (row.o_here[d] != row.o_true[d]) {
        worst = std::max(worst, std::abs(row.o_here[d] - row.o_true[d]));
      }
    }
    table.row({"", divides ? "O / l" : "O", views::first_values(row.o_here, most),
               views::first_values(row.o_true, most),
               styled(fmt::format("{:.0e}", worst), ok ? Style::good : Style::bad)});
  }
  std::string text = table.text();
  const std::string margin(static_cast<std::size_t>(op_digits_), ' ');
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    fmt::print(output_, "{}{}\n", margin, text.substr(0, end));
    text.erase(0, end + 1);
  }
}

void WalkText::show(const views::WalkEvent& event) {
  if (event.first_of_segment) segment_heading(event);
  const std::string op = pad_left(std::to_string(event.op), op_digits_ + 2);
  std::string left =
      fmt::format("{}  {}", styled(op, Style::dim), styled(event.line->text, Style::code));
  if (event.copied_bytes > 0) {
    const std::string bytes = fmt::format("+{} B", grouped(event.copied_bytes));
    left =
        pad_right(left, std::min(width_, 100) - display_width(bytes)) + styled(bytes, Style::bytes);
  }
  fmt::print(output_, "{}\n", left);
  changes(formulas_.changes(event));
  if (event.truth != nullptr && !event.truth->rows.empty()) truth(*event.truth);
}

void WalkText::footer(const views::Walker& walker) const {
  fmt::print(output_, "\n{}\n",
             wrapped(fmt::format("{} ops shown; what was walked loaded {} B and stored {} B {}",
                                 walker.ops_seen(), grouped(walker.ledger().all_load_bytes()),
                                 grouped(walker.ledger().all_store_bytes()),
                                 styled("(simulated)", Style::dim))));
}

}  // namespace flashscope::terminal
