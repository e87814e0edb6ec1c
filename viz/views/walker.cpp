// The walk itself: which ops to execute silently, which to show; see walker.h.
#include "viz/views/walker.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/error.h"

namespace flashscope::views {
namespace {

constexpr std::int64_t kRowsShownWhole = 4;  // tiles of up to this many rows are shown whole

}  // namespace

Walker::Walker(const Scenario& scenario, const Program& program, const WalkOptions& options)
    : scenario_(scenario),
      program_(program),
      options_(options),
      outputs_(make_outputs(program.problem(), program.precision())),
      interpreter_(program, scenario.inputs, outputs_),
      ledger_(program.algorithm()) {
  choose();
}

void Walker::choose() {
  std::int64_t only_row = -1;  // of a work item that is one row
  if (program_.size() == 0)
    throw Error("nothing to walk: the problem has no ops (an empty batch?)");
  const auto grain = [&](const Segment& segment) {
    return program_.algorithm().phases[static_cast<std::size_t>(segment.phase)].grain;
  };
  if (options_.work_item) {
    const std::int64_t item = *options_.work_item;
    if (item < 0 || item >= program_.work_items()) {
      throw Error(fmt::format("--work-item {}: this program has work items 0 to {}", item,
                              program_.work_items() - 1));
    }
    const IndexRange ops = program_.ops_of_work_item(item);
    if (ops.empty()) throw Error(fmt::format("--work-item {}: it has no ops", item));
    const Segment segment = program_.op(ops.begin).segment;
    chain_ = {segment.batch, segment.head, std::max<std::int64_t>(segment.q_tile, 0)};
    whole_head_ = grain(segment) == Grain::head;
    work_items_.insert(item);
    only_row = segment.q_row;
  } else {
    if (options_.head < 0 || options_.head >= program_.heads()) {
      throw Error(fmt::format("--head {}: heads are 0 to {}", options_.head, program_.heads() - 1));
    }
    chain_ = {0, options_.head, 0};
    if (!options_.rows.empty())
      chain_.q_tile = options_.rows.front() / program_.tiling().q_tile_rows;
    if (chain_.q_tile >= program_.q_tiles()) {
      throw Error(fmt::format("--rows {}: the head has rows 0 to {}", options_.rows.front(),
                              program_.problem().q_len * program_.group() - 1));
    }
    program_.visit_chain(chain_, [&](const Segment& segment) {
      whole_head_ = whole_head_ || grain(segment) == Grain::head;
      work_items_.insert(segment.work_item);
    });
    if (whole_head_) add_work_items_of_head();
  }
  const IndexRange tile = tile_rows(chain_.q_tile, program_.tiling().q_tile_rows,
                                    program_.problem().q_len * program_.group());
  const IndexRange all =
      whole_head_ ? IndexRange{0, program_.problem().q_len * program_.group()} : tile;
  for (const std::int64_t row : options_.rows) {
    if (!all.contains(row)) {
      throw Error(
          fmt::format("--rows {}: this walk has rows {} to {}", row, all.begin, all.end - 1));
    }
  }
  rows_ = options_.rows;
  if (rows_.empty() && only_row >= 0) rows_ = {only_row};
  if (rows_.empty()) {
    const std::int64_t shown = all.size() <= kRowsShownWhole || tile.size() <= kRowsShownWhole
                                   ? std::min(all.size(), kRowsShownWhole)
                                   : 1;
    for (std::int64_t n = 0; n < shown; ++n) rows_.push_back(all.begin + n);
    if (!whole_head_ && shown == 1) rows_ = {tile.begin};
  }
}

// Where one work item is a whole head, its other q tiles' preparations belong to the picture too.
void Walker::add_work_items_of_head() {
  for (int phase = 0; phase < static_cast<int>(program_.algorithm().phases.size()); ++phase) {
    program_.visit(program_.ops_of_head(phase, chain_.batch, chain_.head),
                   [&](const Segment& segment) { work_items_.insert(segment.work_item); });
  }
}

void Walker::walk(const Listener& listener) {
  const auto each = [&](const Segment& segment) { execute(segment, listener); };
  if (!whole_head_) {
    interpreter_.begin(chain_);
    program_.visit_chain(chain_, each);
    return;
  }
  interpreter_.begin(IndexRange{0, program_.problem().q_len * program_.group()});
  for (int phase = 0; phase < static_cast<int>(program_.algorithm().phases.size()); ++phase) {
    program_.visit(program_.ops_of_head(phase, chain_.batch, chain_.head), each);
  }
}

std::vector<std::int64_t> Walker::rows_in(const Segment& segment) const {
  const IndexRange held = program_.q_rows(segment);
  std::vector<std::int64_t> rows;
  for (const std::int64_t row : rows_) {
    if (held.contains(row)) rows.push_back(row);
  }
  return rows;
}

void Walker::execute(const Segment& segment, const Listener& listener) {
  const bool selected = work_items_.contains(segment.work_item);
  const std::vector<std::int64_t> rows = rows_in(segment);
  const bool shows_rows = !rows.empty() || segment.q_tile < 0;
  const auto& lines = program_.algorithm().lines;
  interpreter_.enter(segment);
  for (std::size_t n = 0; n < segment.lines.size(); ++n) {
    const Line& line = lines[static_cast<std::size_t>(segment.lines[n])];
    const std::int64_t op = segment.first_op + static_cast<std::int64_t>(n);
    const bool show = selected && shows_rows && op >= options_.from_op && op <= options_.to_op;
    Tile before;
    if (show) before = interpreter_.tile(line.result);
    const std::int64_t bytes_before = ledger_.all_load_bytes() + ledger_.all_store_bytes();
    interpreter_.execute(line, segment, selected ? &ledger_ : nullptr);
    const bool last = n + 1 == segment.lines.size();
    std::optional<PrefixTruth> truth;
    // An fp64 softmax over all keys so far is not for nothing: only where it is shown.
    if (last && show && has_prefix_truth(program_, segment)) {
      truth = prefix_truth(scenario_, program_, interpreter_, segment, rows);
    }
    if (!show) continue;
    ++ops_seen_;
    WalkEvent event;
    event.line = &line;
    event.segment = &segment;
    event.op = op;
    event.first_of_segment = n == 0 || op == options_.from_op;
    event.before = &before;
    event.after = &interpreter_.tile(line.result);
    event.rows = rows;
    event.copied_bytes = ledger_.all_load_bytes() + ledger_.all_store_bytes() - bytes_before;
    event.load_bytes = ledger_.all_load_bytes();
    event.store_bytes = ledger_.all_store_bytes();
    event.truth = truth ? &*truth : nullptr;
    listener(event);
  }
}

}  // namespace flashscope::views
