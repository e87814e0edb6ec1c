// Stops as players; see lesson_blocks.h.
#include <algorithm>

#include <fmt/format.h>

#include "viz/pages/lesson_blocks.h"
#include "viz/pages/player.h"
#include "viz/pages/prose_html.h"
#include "viz/pages/words.h"

namespace flashscope::pages {
namespace {

using lessons::StopBlock;

constexpr std::int64_t kMostStopOps = 150;  // of one player: several of them share the page
constexpr std::int64_t kRowsShownWhole = 4;

// The query rows to look at: those asked for that the op's tile holds, else all of a small tile,
// else its first.
std::vector<std::int64_t> rows_to_show(const StopBlock& stop, const Program& program,
                                       const Segment& segment) {
  const IndexRange held = program.q_rows(segment);
  std::vector<std::int64_t> rows;
  for (const std::int64_t row : stop.rows) {
    if (held.contains(row)) rows.push_back(row);
  }
  if (!rows.empty() || held.empty()) return rows;
  const std::int64_t shown = held.size() <= kRowsShownWhole ? held.size() : 1;
  for (std::int64_t n = 0; n < shown; ++n) rows.push_back(held.begin + n);
  return rows;
}

std::string values_html(const std::vector<lessons::ShownValue>& values) {
  if (values.empty()) return "";
  std::string html = "<dl class=\"values\">";
  for (const lessons::ShownValue& value : values) {
    html += fmt::format("<div><dt><code>{}</code></dt><dd>{}</dd></div>", escaped(value.expression),
                        escaped(value.value));
  }
  return html + "</dl>\n";
}

}  // namespace

views::WalkOptions stop_window(const StopBlock& stop, lessons::Stage& stage) {
  const Program& program = stage.debugger().program();
  const std::int64_t position = stage.debugger().session().position();
  const std::int64_t previous = stage.previous_position();
  const Segment last = program.op(position - 1).segment;
  const std::int64_t item_begin = program.ops_of_work_item(last.work_item).begin;
  views::WalkOptions walk;
  walk.work_item = last.work_item;
  walk.rows = rows_to_show(stop, program, last);
  walk.to_op = position - 1;
  switch (stop.walk) {
    case StopBlock::Walk::since:
      walk.from_op = previous < position ? std::max(previous, item_begin) : item_begin;
      walk.from_op = std::max(walk.from_op, position - kMostStopOps);
      break;
    // A single op is understood from those before it: one step back is always there.
    case StopBlock::Walk::line:
    case StopBlock::Walk::step:
      walk.from_op = last.first_op;
      break;
    case StopBlock::Walk::none:
      walk.from_op = position - 1;
      break;
  }
  return walk;
}

std::string stop_html(const StopBlock& stop, lessons::Stage& stage, const std::string& id,
                      int heading, TablesShown& tables) {
  const std::vector<lessons::ShownValue> values = stage.values(stop);
  const std::int64_t position = stage.debugger().session().position();
  const Program& program = stage.debugger().program();
  if (position == 0) {
    // Nothing has executed: there is nothing to play.
    return fmt::format(
        "<section class=\"stop\"><h{0}>{1}</h{0}><p class=\"note\">Before the "
        "first op.</p>{2}</section>\n",
        heading, title_html(stop.title), values_html(values));
  }
  PlayerOptions options;
  options.id = id;
  options.title = stop.title;
  options.heading = heading;
  options.first_tile = program.algorithm().find(stop.tile, false);
  options.below_title = values_html(values);
  options.tables = &tables;
  return player_html(record(stage.scenario(), program, stop_window(stop, stage)), program, options);
}

}  // namespace flashscope::pages
