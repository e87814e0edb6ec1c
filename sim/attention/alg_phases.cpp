// Phases of .alg tables; see alg_phases.h.
#include "sim/attention/alg_phases.h"

#include <optional>

#include <fmt/format.h>

#include "sim/expression/nearest_name.h"

namespace flashscope {
namespace {

// What the loops around a statement have fixed.
struct Fixed {
  bool q_tile = false, kv_tile = false, q_row = false, split = false, in_step = false;
};

void check_line(const Algorithm& algorithm, const Line& line, const Fixed& fixed,
                const std::string& where) {
  const auto fail_line = [&](const std::string& what) {
    fail_at(where, line.source_line, line.source_column, fmt::format("`{}`: {}", line.text, what));
  };
  std::vector<int> touched = line.operands;
  touched.push_back(line.result);
  for (const int index : touched) {
    const Buffer& buffer = algorithm.buffers[static_cast<std::size_t>(index)];
    for (const Dim d : {buffer.rows, buffer.columns}) {
      if ((d == Dim::q_tile && !fixed.q_tile) || (d == Dim::kv_tile && !fixed.kv_tile) ||
          (d == Dim::q_row && !fixed.q_row)) {
        fail_line(fmt::format("no loop around it fixes the {} of {}", name_of(d), buffer.name));
      }
    }
  }
  if (line.hbm >= 0) {
    const Buffer& tensor = algorithm.buffers[static_cast<std::size_t>(line.hbm)];
    const Buffer& tile = algorithm.buffers[static_cast<std::size_t>(line.result)];
    if (tensor.per_split && !fixed.split && tile.columns != Dim::splits) {
      fail_line(fmt::format("no loop around it fixes the split of {}", tensor.name));
    }
  }
  if (line.kind == LineKind::accumulate_split && !fixed.split) fail_line("no loop fixes the split");
  const bool conditional = line.when.classes != 0b111 || line.when.first || line.when.last;
  if (conditional && !fixed.in_step) {
    fail_line("conditions on the tile (partial, first, …) apply inside a step only");
  }
}

// Every tile a line touches must have its q tile, kv tile or split fixed by a loop around it.
void check_axes(const Algorithm& algorithm, const Phase& phase, const std::string& where) {
  const auto check = [&](const std::vector<int>& lines, bool in_step) {
    const auto stepped = [&](StepAxis axis) { return in_step && phase.step_axis == axis; };
    Fixed fixed;
    fixed.q_tile = phase.row_axis == RowAxis::q_tile || stepped(StepAxis::q_tile);
    fixed.kv_tile = phase.row_axis == RowAxis::kv_tile || stepped(StepAxis::kv_tile);
    fixed.q_row = phase.row_axis == RowAxis::q_row;
    fixed.split = phase.split_grid || stepped(StepAxis::split);
    fixed.in_step = in_step;
    for (const int index : lines) {
      check_line(algorithm, algorithm.lines[static_cast<std::size_t>(index)], fixed, where);
    }
  };
  check(phase.before, false);
  check(phase.step, true);
  check(phase.after, false);
}

class PhaseParser {
 public:
  PhaseParser(TableReader& reader, Algorithm& algorithm) : reader_(reader), algorithm_(algorithm) {}

  void parse() {
    if (reader_.tokens().size() != 2) reader_.fail("write `phase NAME`");
    Phase phase;
    phase.name = reader_.word(1);
    reader_.advance();
    if (reader_.at_end() || reader_.word(0) != "grid") {
      reader_.fail("a phase begins with `grid batch, head, …`");
    }
    parse_grid(phase);
    reader_.advance();
    const int indent = reader_.indent();
    if (indent == 0) reader_.fail("a phase needs indented statements under its grid");
    if (phase.grain == Grain::head) {
      if (reader_.word(0) != "for") {
        reader_.fail("under `grid batch, head` comes one `for` loop that holds everything");
      }
      parse_row_loop(phase, indent);
    } else {
      parse_row_body(phase, indent);
    }
    if (!reader_.at_end() && reader_.indent() > 0) {
      reader_.fail(reader_.indent() == indent ? "a second loop: one a phase and level"
                                              : "this line is indented like no line above it");
    }
    check_axes(algorithm_, phase, reader_.where());
    algorithm_.phases.push_back(std::move(phase));
  }

 private:
  // grid batch, head [, [unseen] q_tile | q_row [, split | [all] kv_tile]]
  void parse_grid(Phase& phase) {
    reader_.expect(1, "batch");
    reader_.expect(2, ",");
    reader_.expect(3, "head");
    std::size_t n = 4;
    const auto more = [&] {
      if (n >= reader_.tokens().size()) return false;
      reader_.expect(n++, ",");
      if (n >= reader_.tokens().size()) reader_.fail("an axis must follow the comma", n);
      return true;
    };
    phase.grain = Grain::head;
    if (!more()) return;
    phase.grain = Grain::row;
    if (reader_.word(n) == "unseen") {
      phase.row_visit = RowVisit::unseen;
      ++n;
    }
    if (n < reader_.tokens().size() && reader_.word(n) == "q_row") {
      phase.row_axis = RowAxis::q_row;
    } else {
      reader_.expect(n, "q_tile");
    }
    ++n;
    if (phase.row_axis == RowAxis::q_row || !more()) {
      if (n < reader_.tokens().size()) reader_.fail("nothing may follow here", n);
      return;
    }
    if (reader_.word(n) == "split") {
      phase.split_grid = true;
    } else {
      if (reader_.word(n) == "all") {
        phase.step_visit = Visit::all;
        ++n;
      }
      reader_.expect(n, "kv_tile");
      phase.grain = Grain::step;
      phase.step_axis = StepAxis::kv_tile;
    }
    if (n + 1 < reader_.tokens().size()) reader_.fail("nothing may follow here", n + 1);
  }

  // The words of a `for` line between `for` and the axis, and the axis.
  struct ForLine {
    bool all = false;
    std::optional<KvOrder> order;
    std::string axis;
  };
  ForLine parse_for() const {
    ForLine result;
    std::size_t n = 1;
    for (; n + 1 < reader_.tokens().size(); ++n) {
      const std::string& word = reader_.word(n);
      if (word == "all") {
        result.all = true;
      } else if (word == "ascending") {
        result.order = KvOrder::ascending;
      } else if (word == "descending") {
        result.order = KvOrder::descending;
      } else {
        reader_.fail(fmt::format("unknown word '{}': {}", word,
                                 nearest_name(word, {"all", "ascending", "descending"})),
                     n);
      }
    }
    if (n >= reader_.tokens().size())
      reader_.fail("write `for [all] [ascending|descending] kv_tile|q_tile|split`");
    result.axis = reader_.word(n);
    if (result.axis != "kv_tile" && result.axis != "q_tile" && result.axis != "split") {
      reader_.fail(fmt::format("'{}' is no loop axis: {}", result.axis,
                               nearest_name(result.axis, {"kv_tile", "q_tile", "split"})),
                   n);
    }
    if (result.order && result.axis != "kv_tile") reader_.fail("only kv tiles have an order", 1);
    return result;
  }

  void parse_row_loop(Phase& phase, int indent) {
    const ForLine loop = parse_for();
    if (loop.axis == "split") reader_.fail("the outer loop runs over kv_tile or q_tile");
    phase.row_axis = loop.axis == "kv_tile" ? RowAxis::kv_tile : RowAxis::q_tile;
    phase.row_visit = loop.all || loop.axis == "q_tile" ? RowVisit::all : RowVisit::non_empty;
    phase.kv_order = loop.order;
    reader_.advance();
    const int inner = reader_.indent();
    if (inner <= indent) reader_.fail("a loop needs indented statements");
    parse_row_body(phase, inner);
  }

  void parse_row_body(Phase& phase, int indent) {
    bool after_loop = false;
    while (!reader_.at_end() && reader_.indent() == indent) {
      if (reader_.word(0) == "for") {
        if (after_loop || phase.grain == Grain::step) return;  // parse_phase says why
        parse_step_loop(phase, indent);
        after_loop = true;
        continue;
      }
      std::vector<int>& lines =
          phase.grain == Grain::step ? phase.step : (after_loop ? phase.after : phase.before);
      lines.push_back(add_statement());
    }
  }

  void parse_step_loop(Phase& phase, int indent) {
    const ForLine loop = parse_for();
    const bool over_rows = (loop.axis == "kv_tile" && phase.row_axis == RowAxis::kv_tile) ||
                           (loop.axis == "q_tile" && phase.row_axis != RowAxis::kv_tile) ||
                           phase.row_axis == RowAxis::q_row ||
                           (loop.axis == "split" && phase.row_axis == RowAxis::kv_tile);
    if (over_rows || (loop.axis == "split" && phase.split_grid)) {
      reader_.fail(fmt::format("`for {}` has nothing to run over here: that axis is fixed already",
                               loop.axis));
    }
    phase.step_axis = loop.axis == "kv_tile"  ? StepAxis::kv_tile
                      : loop.axis == "q_tile" ? StepAxis::q_tile
                                              : StepAxis::split;
    phase.step_visit = loop.all ? Visit::all : Visit::non_empty;
    if (loop.all && loop.axis == "q_tile") reader_.fail("`all` applies to kv tiles only", 1);
    if (loop.order) phase.kv_order = loop.order;
    reader_.advance();
    const int inner = reader_.indent();
    if (inner <= indent) reader_.fail("a loop needs indented statements");
    while (!reader_.at_end() && reader_.indent() == inner) {
      if (reader_.word(0) == "for") reader_.fail("loops nest at most two deep");
      phase.step.push_back(add_statement());
    }
    if (!reader_.at_end() && reader_.indent() > indent) {
      reader_.fail("this line is indented like no line above it");
    }
  }

  int add_statement() {
    algorithm_.lines.push_back(parse_statement(reader_.line(), algorithm_, reader_.where()));
    reader_.advance();
    return static_cast<int>(algorithm_.lines.size()) - 1;
  }

  TableReader& reader_;
  Algorithm& algorithm_;
};

}  // namespace

void parse_phase(TableReader& reader, Algorithm& algorithm) {
  PhaseParser(reader, algorithm).parse();
}

}  // namespace flashscope
