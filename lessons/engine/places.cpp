// Searching places; see places.h. A program is looked through by its structure: nothing is executed
// but for a `when`.
#include "lessons/engine/places.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "lessons/engine/evaluate.h"
#include "lessons/engine/facts_table.h"
#include "lessons/engine/work.h"
#include "sim/error.h"

namespace flashscope::lessons {
namespace {

constexpr std::int64_t kMostSegments = 4'000'000;  // looked at; some seconds
constexpr std::int64_t kMostOps = 2'000'000;       // executed for a `when`

std::int64_t end_of(const Segment& segment) {
  return segment.first_op + static_cast<std::int64_t>(segment.lines.size());
}

// Which positions of a program a place fits, its `when` apart.
class PlaceSearch {
 public:
  PlaceSearch(const Place& place, const Program& program) : place_(place), program_(program) {
    const std::optional<Sourced>& line = place.after ? place.after : place.before;
    if (line) find_lines(line->text);
    require_in_range();
  }

  // Stays in one head from now on.
  void stay_in(std::int64_t batch, std::int64_t head) {
    place_.batch = batch;
    place_.head = head;
  }

  // The first fitting position in (after, until]; nothing when there is none.
  std::optional<std::int64_t> first_in(std::int64_t after, std::int64_t until) {
    std::int64_t op = std::max<std::int64_t>(after, 0);
    while (op < program_.size() && op <= until) {
      if (++looked_at_ > kMostSegments) throw too_far();
      const Segment segment = program_.op(op).segment;
      if (fits(segment)) {
        const auto found = first_in_segment(segment, after);
        if (found) return *found <= until ? found : std::nullopt;
      }
      op = behind(segment);
    }
    return std::nullopt;
  }

  // Whether an op, and the position behind it, could be meant; for a `when` without a line.
  bool fits(const Segment& segment) const {
    const auto is = [](const std::optional<std::int64_t>& wanted, std::int64_t value) {
      return !wanted || *wanted == value;
    };
    // A line before or after a loop belongs to all of the loop's tiles.
    const auto is_tile = [&](const std::optional<std::int64_t>& wanted, std::int64_t value) {
      return is(wanted, value) || (value < 0 && !lines_.empty());
    };
    return is(place_.batch, segment.batch) && is(place_.head, segment.head) &&
           is_tile(place_.split, segment.split) && is_tile(place_.q_tile, segment.q_tile) &&
           is_tile(place_.kv_tile, segment.kv_tile);
  }

  // Why nothing was found.
  std::string reason() const {
    const std::string line = place_.after    ? place_.after->text
                             : place_.before ? place_.before->text
                                             : "";
    if (place_.q_tile && place_.kv_tile) {
      const TileMap& map = program_.tile_map(place_.batch.value_or(0), place_.head.value_or(0));
      const auto runs = map.steps_of_q_tile(*place_.q_tile, {0, map.kv_tiles()}, KvOrder::ascending,
                                            Visit::non_empty);
      const auto run = std::find_if(runs.begin(), runs.end(), [&](const StepRun& r) {
        return *place_.kv_tile >= r.begin && *place_.kv_tile < r.end;
      });
      const std::string tile = fmt::format("tile [{}, {}]", *place_.q_tile, *place_.kv_tile);
      if (run == runs.end()) return tile + " is never visited: the mask leaves it out";
      if (line.empty()) return tile + " is no step of this table";
      return fmt::format("'{}' is not executed in {}, which is {}", line, tile,
                         name_of(run->kind.tile_class));
    }
    if (!line.empty()) return fmt::format("'{}' is never executed there", line);
    return "there is no such place";
  }

 private:
  void find_lines(const std::string& begin) {
    std::vector<TableLine> lines;
    for (const Line& line : program_.algorithm().lines) {
      lines.push_back({line.source_line, line.text, ""});
    }
    for (const std::size_t n : lines_beginning(begin, lines)) lines_.insert(static_cast<int>(n));
  }

  static void require(const std::optional<std::int64_t>& value, std::int64_t count,
                      const std::string& what, const char* names) {
    if (!value || (*value >= 0 && *value < count)) return;
    throw Error(count == 0 ? fmt::format("{}: there are no {}", what, names)
                           : fmt::format("{}: there are {} 0 to {}", what, names, count - 1));
  }

  void require_in_range() const {
    const Problem& problem = program_.problem();
    require(place_.batch, problem.batch, fmt::format("batch {}", place_.batch.value_or(0)),
            "batches");
    require(place_.head, program_.heads(), fmt::format("head {}", place_.head.value_or(0)),
            "heads");
    require(place_.split, program_.tiling().splits,
            fmt::format("split {}", place_.split.value_or(0)), "splits");
    if (problem.batch * program_.heads() == 0)
      throw Error("the problem has no ops (q-len, kv-len or batch is 0)");
    const TileMap& map = program_.tile_map(place_.batch.value_or(0), place_.head.value_or(0));
    const std::string tile =
        fmt::format("tile [{}, {}]", place_.q_tile ? std::to_string(*place_.q_tile) : "any",
                    place_.kv_tile ? std::to_string(*place_.kv_tile) : "any");
    require(place_.q_tile, map.q_tiles(), tile, "q tiles");
    require(place_.kv_tile, map.kv_tiles(), tile, "kv tiles");
  }

  // Where to look on behind a segment: not in heads and work items that can't hold the place.
  std::int64_t behind(const Segment& segment) const {
    const bool other_head = (place_.batch && *place_.batch != segment.batch) ||
                            (place_.head && *place_.head != segment.head);
    if (other_head) return program_.ops_of_head(segment.phase, segment.batch, segment.head).end;
    const Phase& phase = program_.algorithm().phases[static_cast<std::size_t>(segment.phase)];
    const bool other_phase = !lines_.empty() && !holds_line(phase.before) &&
                             !holds_line(phase.step) && !holds_line(phase.after);
    const bool one_q_tile = phase.grain != Grain::head && phase.row_axis != RowAxis::kv_tile;
    const bool other_tile = one_q_tile && place_.q_tile && *place_.q_tile != segment.q_tile;
    if (other_phase) return program_.ops_of_head(segment.phase, segment.batch, segment.head).end;
    return other_tile ? program_.ops_of_work_item(segment.work_item).end : end_of(segment);
  }

  bool holds_line(const std::vector<int>& lines) const {
    return std::any_of(lines.begin(), lines.end(), [&](int n) { return lines_.contains(n); });
  }

  std::optional<std::int64_t> first_in_segment(const Segment& segment, std::int64_t after) const {
    const auto if_behind = [&](std::int64_t position) {
      return position > after ? std::optional(position) : std::nullopt;
    };
    if (!lines_.empty()) {
      for (std::size_t n = 0; n < segment.lines.size(); ++n) {
        if (!lines_.contains(segment.lines[n])) continue;
        const auto position =
            segment.first_op + static_cast<std::int64_t>(n) + (place_.after ? 1 : 0);
        if (position > after) return position;
      }
      return std::nullopt;
    }
    if (place_.when) {
      const std::int64_t position = std::max(after + 1, segment.first_op);
      return position < end_of(segment) ? std::optional(position) : std::nullopt;
    }
    // Behind a step; else where the head, q tile or split begins.
    if (place_.kv_tile) {
      return segment.part == Part::step ? if_behind(end_of(segment)) : std::nullopt;
    }
    const bool begins = segment.first_op == 0 || !fits(program_.op(segment.first_op - 1).segment);
    return begins ? if_behind(segment.first_op) : std::nullopt;
  }

  Error too_far() const {
    return Error(fmt::format("the place was not found among {} steps; say which head and tile",
                             kMostSegments));
  }

  Place place_;
  const Program& program_;
  std::set<int> lines_;  // of the table, that `after` or `before` name
  std::int64_t looked_at_ = 0;
};

// What a `when` has cost.
struct Executed {
  std::int64_t ops = 0;
  double work = 0;
  TimeLimit time;
};

// The first position in (after, until] where the place fits and its condition holds.
std::optional<std::int64_t> first_when(const Place& place, PlaceSearch& search, std::int64_t after,
                                       std::int64_t until, Debugger& debugger,
                                       const LessonExpression& condition, Executed& executed) {
  constexpr std::int64_t kStepRatherThanJump = 4096;
  const Program& program = debugger.program();
  const bool has_line = place.after || place.before;
  std::int64_t position = after;
  while (true) {
    const auto next = search.first_in(position, until);
    if (!next) return std::nullopt;
    const std::int64_t here = debugger.session().position();
    const std::int64_t ahead = *next - here;
    const bool near = ahead >= 0 && ahead <= kStepRatherThanJump;
    executed.ops += near ? ahead + 1 : kStepRatherThanJump;  // a jump replays a chain
    executed.work +=
        near ? static_cast<double>(ahead + 1) * work_of_op(program) : replay_work(program, *next);
    if (executed.ops > kMostOps || executed.work > kMostWork || executed.time.is_over()) {
      throw Error(
          fmt::format("'{}' held nowhere within {} ops, and to look further is too much "
                      "work for a lesson: say which head and tile",
                      place.when->text, executed.ops));
    }
    if (near) {
      while (debugger.session().position() < *next) debugger.step();
    } else {
      debugger.go_to(*next);
    }
    position = *next;
    if (condition.condition(&debugger)) return position;
    // The end belongs to no segment, but it is a place.
    if (!has_line && position + 1 == program.size() && until >= program.size() &&
        search.fits(program.op(position).segment)) {
      debugger.go_to(program.size());
      if (condition.condition(&debugger)) return program.size();
    }
  }
}

}  // namespace

namespace {

std::int64_t search_place(const Place& place, std::int64_t from, Debugger& debugger,
                          const Facts& facts) {
  const Program& program = debugger.program();
  if (place.end) return program.size();
  if (place.op) {
    if (*place.op >= 0 && *place.op <= program.size()) return *place.op;
    throw Error(fmt::format("op {}: there are ops 0 to {}", *place.op, program.size() - 1));
  }
  std::optional<LessonExpression> condition;
  if (place.when) condition.emplace(place.when->text, facts, &program);
  Executed executed;
  const auto search_in = [&](PlaceSearch& search) -> std::optional<std::int64_t> {
    const auto first = [&](std::int64_t after, std::int64_t until) {
      return condition ? first_when(place, search, after, until, debugger, *condition, executed)
                       : search.first_in(after, until);
    };
    if (const auto found = first(from, program.size())) return found;
    return first(-1, from);
  };
  // A tile is first looked for in the head where the lesson stands.
  PlaceSearch search(place, program);
  if ((place.q_tile || place.kv_tile) && !place.head && !place.batch) {
    PlaceSearch in_head(place, program);
    const Segment here = debugger.session().segment();
    in_head.stay_in(here.batch, here.head);
    if (const auto found = search_in(in_head)) return *found;
  }
  if (const auto found = search_in(search)) return *found;
  if (place.when) throw Error(fmt::format("'{}' holds nowhere", place.when->text));
  throw Error(search.reason());
}

}  // namespace

std::int64_t find_place(const Place& place, std::int64_t from, Debugger& debugger,
                        const Facts& facts) {
  const std::int64_t found = search_place(place, from, debugger, facts);
  require_reachable(debugger.program(), found);
  return found;
}

}  // namespace flashscope::lessons
