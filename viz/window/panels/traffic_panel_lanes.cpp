// Making and moving the programs that run in lockstep; see traffic_panel_parts.h.
#include <algorithm>
#include <chrono>

#include "sim/attention/program.h"
#include "sim/error.h"
#include "sim/machine/count.h"
#include "sim/setup/setup.h"
#include "viz/window/panels/traffic_panel_parts.h"

namespace flashscope::window {
namespace {

// Of a frame, for what can wait: while ops fly by, and while the user looks.
constexpr double kSecondsPlaying = 0.001, kSecondsPaused = 0.002;
// Score elements of a mask expression up to which a program is made without asking: a blink.
constexpr double kMostMaskElements = 1 << 28;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool is_long(const Problem& problem) {
  return problem.mask.expression &&
         static_cast<double>(problem.q_len) * static_cast<double>(problem.kv_len) >
             kMostMaskElements;
}

}  // namespace

void TrafficLanes::follow_running(const Context& context) {
  const Program& program = context.program();
  if (entries_.empty() || version_ != context.program_version) {
    version_ = context.program_version;
    entries_.clear();
    const std::vector<std::string> others = built_in_algorithm_names();
    entries_.reserve(others.size() + 1);
    Entry& first = entries_.emplace_back();
    first.lane.emplace(program);
    first.name = first.lane->name();
    for (const std::string& name : others) {
      if (name != first.name || !program.algorithm().is_built_in()) {
        entries_.emplace_back().name = name;
      }
    }
    asks_ = is_long(program.problem());
    turn_ = 0;
  }
  const std::int64_t op = context.session().position();
  fraction_ =
      program.size() == 0 ? 0 : static_cast<double>(op) / static_cast<double>(program.size());
  Entry& running = entries_.front();
  if (!running.state || running.state->op != op) {
    running.state = views::lane_state(*running.lane, op, context.debugger.ledger());
  }
}

void TrafficLanes::show(const Entry& entry, bool on) {
  on ? static_cast<void>(hidden_.erase(entry.name)) : static_cast<void>(hidden_.insert(entry.name));
}

std::vector<const TrafficLanes::Entry*> TrafficLanes::shown() const {
  std::vector<const Entry*> result;
  for (const Entry& entry : entries_) {
    if (entry.lane && shows(entry)) result.push_back(&entry);
  }
  return result;
}

std::vector<const TrafficLanes::Entry*> TrafficLanes::shown_running_last() const {
  std::vector<const Entry*> order = shown();
  std::reverse(order.begin(), order.end());
  return order;
}

// The same problem and tile sizes; what the options say of one algorithm alone is left to it.
void TrafficLanes::make(const Context& context, Entry& entry) {
  try {
    ProblemOptions options = context.options;
    options.algorithm = "all";
    Algorithm algorithm = load_algorithm(entry.name);
    Tiling tiling = base_tiling(options, algorithm);
    tiling.q_tile_rows = context.program().tiling().q_tile_rows;
    tiling.kv_tile_rows = context.program().tiling().kv_tile_rows;
    const Problem& problem = context.program().problem();
    const Precision precision = flashscope::precision(options, algorithm, problem.dtype);
    entry.program = std::make_unique<Program>(problem, std::move(algorithm), tiling, precision);
    entry.lane.emplace(*entry.program);
  } catch (const Error& error) {
    entry.refused = error.what();
  }
}

bool TrafficLanes::advance(const Context& context, bool curves) {
  for (Entry& entry : entries_) {
    if (entry.lane || !entry.refused.empty() || asks_ || !shows(entry)) continue;
    make(context, entry);
    return true;
  }
  // In turn, so that each moves while ops fly by.
  for (std::size_t n = 0; n < entries_.size(); ++n) {
    turn_ = (turn_ + 1) % entries_.size();
    Entry& entry = entries_[turn_];
    if (turn_ == 0 || !entry.lane || !shows(entry)) continue;
    if (entry.state && entry.state->op == entry.lane->op_at(fraction_)) continue;
    entry.state = views::lane_state(*entry.lane, fraction_);
    return true;
  }
  // All curves grow together.
  Entry* shortest = nullptr;
  for (Entry& entry : entries_) {
    if (!curves || !entry.lane || !shows(entry)) continue;
    if (!shortest || entry.lane->curve().size() < shortest->lane->curve().size()) shortest = &entry;
  }
  return shortest && shortest->lane->sample();
}

bool TrafficLanes::follow_all(const Context& context, bool curves) {
  const double end = now() + (context.playback.playing() ? kSecondsPlaying : kSecondsPaused);
  bool busy = true;
  do {
    busy = advance(context, curves);
  } while (busy && now() < end);
  return busy;
}

}  // namespace flashscope::window
