// Meanings of tiles; see tile_contents.h. One is found by walking the table once with quantities in
// place of numbers.
#include "viz/views/tile_contents.h"

#include <span>
#include <vector>

namespace flashscope::views {
namespace {

bool loops_over_tiles(const Phase& phase) {
  return phase.step_axis == StepAxis::kv_tile || phase.step_axis == StepAxis::q_tile;
}

class MeaningWalk {
 public:
  explicit MeaningWalk(const Program& program)
      : program_(program), algorithm_(program.algorithm()), meanings_(algorithm_.buffers.size()) {}

  const Meaning& of(int buffer) const { return meanings_[static_cast<std::size_t>(buffer)]; }

  void enter(const Phase& phase) {
    phase_ = &phase;
    in_step_ = false;
  }
  // What is carried from step to step has, at a step's beginning, seen the keys before it.
  void enter_step() {
    if (!loops_over_tiles(*phase_) || !algorithm_.estimate) return;
    in_step_ = true;
    for (const int buffer :
         {algorithm_.estimate->o, algorithm_.estimate->m, algorithm_.estimate->l}) {
      at(buffer) = carried(buffer);
    }
  }
  void run(std::span<const int> lines) {
    for (const int index : lines) {
      const Line& line = algorithm_.lines[static_cast<std::size_t>(index)];
      if (!line.when.threshold || *line.when.threshold == has_threshold()) run(line);
    }
  }

 private:
  Meaning& at(int buffer) { return meanings_[static_cast<std::size_t>(buffer)]; }
  bool has_threshold() const { return program_.tiling().rescale_threshold.has_value(); }
  // Keys that the scores of this place speak of.
  KeyScope keys_at_hand() const {
    return loops_over_tiles(*phase_) ? KeyScope::tile : KeyScope::all;
  }
  static KeyScope with_before(KeyScope keys) {
    return keys == KeyScope::tile ? KeyScope::now : keys;
  }

  Meaning carried(int buffer) const {
    const Estimate& estimate = *algorithm_.estimate;
    Meaning meaning;
    meaning.keys = meaning.frame = KeyScope::before;
    meaning.frame_buffer = estimate.m;
    if (buffer == estimate.o) {
      meaning.quantity = Quantity::output;
      meaning.normalised = estimate.o_divisor < 0;
    } else if (buffer == estimate.l) {
      meaning.quantity = Quantity::sum;
    } else if (!has_threshold()) {
      meaning.quantity = Quantity::max;
    }
    return meaning;
  }

  Meaning loaded(const Line& line) {
    const Buffer& tensor = algorithm_.buffers[static_cast<std::size_t>(line.hbm)];
    Meaning meaning = at(line.hbm);
    if (tensor.name == "Q" || tensor.name == "K" || tensor.name == "V") {
      meaning.quantity = Quantity::input;
      meaning.tensor = line.hbm;
    } else if (tensor.per_split) {
      meaning.keys = KeyScope::split;
    } else if (in_step_ &&
               (line.result == algorithm_.estimate->o || line.result == algorithm_.estimate->m ||
                line.result == algorithm_.estimate->l)) {
      meaning = carried(line.result);
    }
    return meaning;
  }

  void run(const Line& line) {
    if (line.kind == LineKind::store) {
      at(line.hbm) = at(line.result);
    } else if (line.kind == LineKind::load) {
      at(line.result) = loaded(line);
    } else {
      at(line.result) = computed(line);
    }
  }

  Meaning computed(const Line& line) {
    const auto operand = [&](std::size_t n) { return at(line.operands[n]); };
    Meaning result;
    switch (line.kind) {
      case LineKind::fill:
        result.quantity = Quantity::constant;
        result.number = line.number;
        return result;
      case LineKind::product:
        return score(line);
      case LineKind::scale:
        result = at(line.result);
        result.scaled = true;
        return result;
      case LineKind::mask:
        result = at(line.result);
        result.masked = true;
        return result;
      case LineKind::row_max:
      case LineKind::running_max:
        if (operand(line.kind == LineKind::row_max ? 0 : 1).quantity != Quantity::score) break;
        result.quantity = Quantity::max;
        result.keys = line.kind == LineKind::row_max ? keys_at_hand() : with_before(keys_at_hand());
        return result;
      case LineKind::keep_max:
        break;  // how far it lags behind the largest score is the threshold's affair
      case LineKind::exp_tile:
        if (operand(0).quantity != Quantity::score) break;
        return subtracting(line, Quantity::weight, keys_at_hand());
      case LineKind::exp_vector:
        return subtracting(line, Quantity::factor, operand(0).keys);
      case LineKind::row_sum:
        return sum(operand(0), keys_at_hand());
      case LineKind::add_row_sum:
        return sum(operand(1), with_before(keys_at_hand()));
      case LineKind::running_sum:
        return sum(operand(2), with_before(keys_at_hand()));
      case LineKind::multiply:
      case LineKind::rescale:
        return rescaled(at(line.result), operand(0));
      case LineKind::accumulate:
        return accumulated(operand(1));
      case LineKind::divide:
        result = at(line.result);
        result.normalised = true;
        if (operand(1).quantity == Quantity::sum) return result;
        break;
      case LineKind::log_sum_exp:
        result.keys = operand(1).keys;
        if (operand(1).quantity != Quantity::sum) break;
        result.quantity = Quantity::lse;
        return result;
      case LineKind::copy:
        return operand(0);
      case LineKind::cast:
        return at(line.result);
      case LineKind::load:
      case LineKind::store:
      case LineKind::accumulate_split:
        break;
    }
    return {};
  }

  Meaning score(const Line& line) const {
    const auto is = [&](std::size_t operand, std::string_view name) {
      const Meaning& meaning = of(line.operands[operand]);
      return meaning.quantity == Quantity::input &&
             algorithm_.buffers[static_cast<std::size_t>(meaning.tensor)].name == name;
    };
    Meaning result;
    result.scaled = line.scaled;
    if (is(0, "Q") && is(1, "K")) result.quantity = Quantity::score;
    return result;
  }

  // exp(A - v): with a rescale threshold v is what lies on chip, else the largest score.
  Meaning subtracting(const Line& line, Quantity quantity, KeyScope keys) const {
    const Meaning& max = of(line.operands[1]);
    Meaning result;
    result.keys = keys;
    result.frame = max.keys;
    result.frame_buffer = line.operands[1];
    const bool known =
        max.quantity == Quantity::max || (has_threshold() && quantity == Quantity::weight);
    if (known) result.quantity = quantity;
    return result;
  }

  static Meaning sum(const Meaning& weights, KeyScope keys) {
    Meaning result;
    result.keys = keys;
    result.frame = weights.frame;
    result.frame_buffer = weights.frame_buffer;
    if (weights.quantity == Quantity::weight && !weights.normalised) {
      result.quantity = Quantity::sum;
    }
    return result;
  }

  // alpha moves a sum to the new max; fa1's O, which is normalised, is multiplied by l.
  static Meaning rescaled(Meaning meaning, const Meaning& factor) {
    meaning.frame = factor.frame;
    meaning.frame_buffer = factor.frame_buffer;
    if (factor.quantity == Quantity::sum) meaning.normalised = false;
    return meaning;
  }

  Meaning accumulated(const Meaning& weights) const {
    Meaning result;
    result.keys = with_before(keys_at_hand());
    result.frame = weights.frame;
    result.frame_buffer = weights.frame_buffer;
    result.of_whole = weights.normalised;
    if (weights.quantity == Quantity::weight) result.quantity = Quantity::output;
    return result;
  }

  const Program& program_;
  const Algorithm& algorithm_;
  const Phase* phase_ = nullptr;
  bool in_step_ = false;
  std::vector<Meaning> meanings_;  // by buffer, on chip and in HBM
};

// A tile that goes to O or LSE in HBM without further change is the answer, however it was made.
std::optional<Meaning> as_answer(const Algorithm& algorithm, const TileOrigin& origin, int buffer) {
  const std::span<const int> lines = origin.segment.lines;
  const auto line = [&](std::size_t n) -> const Line& {
    return algorithm.lines[static_cast<std::size_t>(lines[n])];
  };
  std::size_t next = static_cast<std::size_t>(origin.ops);
  while (next > 0 && !writes(line(next - 1), buffer)) --next;
  for (; next < lines.size() && !writes(line(next), buffer); ++next) {
    if (line(next).kind != LineKind::store || line(next).result != buffer) continue;
    const std::string& tensor = algorithm.buffers[static_cast<std::size_t>(line(next).hbm)].name;
    Meaning meaning;
    meaning.keys = KeyScope::all;
    meaning.normalised = true;
    meaning.quantity = tensor == "O"     ? Quantity::output
                       : tensor == "LSE" ? Quantity::lse
                                         : Quantity::none;
    if (meaning.quantity != Quantity::none) return meaning;
  }
  return std::nullopt;
}

}  // namespace

Meaning meaning_of(const Program& program, const TileOrigin& origin, int buffer) {
  const Algorithm& algorithm = program.algorithm();
  if (const std::optional<Meaning> answer = as_answer(algorithm, origin, buffer)) return *answer;
  MeaningWalk walk(program);
  for (int n = 0; n <= origin.segment.phase; ++n) {
    const Phase& phase = algorithm.phases[static_cast<std::size_t>(n)];
    const bool is_here = n == origin.segment.phase;
    const std::span<const int> executed =
        origin.segment.lines.first(static_cast<std::size_t>(origin.ops));
    walk.enter(phase);
    walk.run(is_here && origin.segment.part == Part::before ? executed
                                                            : std::span<const int>(phase.before));
    if (is_here && origin.segment.part == Part::before) break;
    walk.enter_step();
    walk.run(is_here && origin.segment.part == Part::step ? executed
                                                          : std::span<const int>(phase.step));
    if (is_here && origin.segment.part == Part::step) break;
    walk.run(is_here ? executed : std::span<const int>(phase.after));
  }
  return walk.of(buffer);
}

}  // namespace flashscope::views
