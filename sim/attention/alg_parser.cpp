// Structure of .alg tables: declarations, then phases with at most one loop inside each other; see
// alg_parser.h. Statements are read by alg_statement.cpp.
#include "sim/attention/alg_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "sim/attention/alg_statement.h"
#include "sim/attention/alg_tokens.h"

namespace flashscope {
namespace {

class Parser {
 public:
  Parser(const std::string& text, const std::string& where)
      : where_(where), lines_(tokenize_table(text, where)) {
    result_.source = text;
    result_.origin = where;
    if (text.starts_with("# ")) result_.title = text.substr(2, text.find('\n') - 2);
  }

  Algorithm parse() {
    if (lines_.empty()) fail_at(where_, 1, 1, "an empty table: begin with `algorithm NAME`");
    while (next_ < lines_.size()) {
      const std::string& word = lines_[next_].tokens[0].text;
      if (result_.name.empty() && word != "algorithm") fail("begin with `algorithm NAME`");
      if (word == "algorithm") {
        parse_name();
      } else if (word == "hbm" || word == "shared" || word == "registers") {
        parse_declaration();
      } else if (word == "estimate") {
        parse_estimate();
      } else if (word == "default") {
        parse_default();
      } else if (word == "phase") {
        parse_phase();
      } else {
        fail(fmt::format("'{}' begins no declaration: {}", word,
                         nearest_name(word, {"algorithm", "hbm", "shared", "registers", "estimate",
                                             "default", "phase"})));
      }
    }
    if (result_.phases.empty()) {
      fail_at(where_, lines_.back().line, 1, "the table has no `phase`");
    }
    return std::move(result_);
  }

 private:
  using Tokens = std::vector<Token>;

  [[noreturn]] void fail(const std::string& what, std::size_t token = 0) const {
    const TokenLine& line = lines_[std::min(next_, lines_.size() - 1)];
    const Tokens& tokens = line.tokens;
    fail_at(where_, line.line, tokens[std::min(token, tokens.size() - 1)].column, what);
  }

  const Tokens& tokens() const { return lines_[next_].tokens; }

  void parse_name() {
    if (!result_.name.empty()) fail("a second `algorithm`: one table a file");
    if (tokens().size() != 2) fail("write `algorithm NAME`");
    result_.name = tokens()[1].text;
    ++next_;
  }

  Dim dim(std::size_t token) const {
    static const std::vector<std::string> kNames = {"q_row",  "q_tile", "kv_tile", "head_dim",
                                                    "splits", "q_len",  "kv_len"};
    const std::string& word = tokens()[token].text;
    for (const Dim d : {Dim::q_row, Dim::q_tile, Dim::kv_tile, Dim::head_dim, Dim::splits,
                        Dim::q_len, Dim::kv_len}) {
      if (name_of(d) == word) return d;
    }
    fail(fmt::format("unknown dimension '{}': {}", word, nearest_name(word, kNames)), token);
  }

  Stage stage(std::size_t token) const {
    static const std::vector<std::string> kNames = {"input",       "score",  "probability",
                                                    "accumulator", "output", "workspace",
                                                    "fp32"};
    if (token >= tokens().size()) {
      fail(fmt::format("a declaration ends with a format: {}", fmt::join(kNames, ", ")), token);
    }
    const std::string& word = tokens()[token].text;
    for (const Stage s : {Stage::input, Stage::score, Stage::probability, Stage::accumulator,
                          Stage::output, Stage::workspace, Stage::fp32}) {
      if (name_of(s) == word) return s;
    }
    fail(fmt::format("unknown format '{}': {}", word, nearest_name(word, kNames)), token);
  }

  // PLACE NAME, NAME, ... DIM [x DIM [x DIM]] FORMAT [N stages]
  void parse_declaration() {
    Buffer buffer;
    const std::string& place = tokens()[0].text;
    buffer.place = place == "hbm"      ? Place::hbm
                   : place == "shared" ? Place::shared
                                       : Place::registers;
    std::size_t n = 1;
    std::vector<std::string> names;
    while (true) {
      if (n >= tokens().size() || tokens()[n].kind != TokenKind::name) {
        fail("write `hbm|shared|registers NAME, … ROWS [x COLUMNS] FORMAT`", n);
      }
      if (result_.find(tokens()[n].text, buffer.place == Place::hbm) >= 0) {
        fail(fmt::format("'{}' is declared twice", tokens()[n].text), n);
      }
      names.push_back(tokens()[n++].text);
      if (n >= tokens().size() || tokens()[n].text != ",") break;
      ++n;
    }
    std::vector<Dim> dims;
    do {
      if (!dims.empty()) ++n;
      if (n >= tokens().size()) fail("a declaration needs a shape, such as `q_tile x head_dim`", n);
      dims.push_back(dim(n++));
    } while (n < tokens().size() && tokens()[n].text == "x");
    set_shape(buffer, dims);
    buffer.stage = stage(n++);
    if (n < tokens().size()) {
      if (n + 2 != tokens().size() || tokens()[n + 1].text != "stages") {
        fail("after the format only `N stages` may follow", n);
      }
      buffer.stages = std::atoll(tokens()[n].text.c_str());
      if (buffer.stages < 1 || buffer.stages > 16) fail("stages must be 1 to 16", n);
    }
    for (const std::string& name : names) {
      buffer.name = name;
      result_.buffers.push_back(buffer);
    }
    ++next_;
  }

  void set_shape(Buffer& buffer, std::vector<Dim> dims) const {
    const bool hbm = buffer.place == Place::hbm;
    if (hbm && dims.front() == Dim::splits) {
      buffer.per_split = true;
      dims.erase(dims.begin());
    }
    if (dims.empty() || dims.size() > 2) fail("a tile has one or two dimensions");
    buffer.rows = dims[0];
    buffer.columns = dims.size() == 2 ? dims[1] : Dim::one;
    const bool rows_ok = hbm ? buffer.rows == Dim::q_len || buffer.rows == Dim::kv_len
                             : buffer.rows == Dim::q_tile || buffer.rows == Dim::kv_tile ||
                                   buffer.rows == Dim::q_row;
    if (!rows_ok) {
      fail(hbm ? "rows of a tensor in HBM are q_len or kv_len"
               : "rows of a tile on chip are q_tile, kv_tile or q_row");
    }
    const auto columns_are = [&](std::initializer_list<Dim> dims) {
      return std::find(dims.begin(), dims.end(), buffer.columns) != dims.end();
    };
    if (hbm ? !columns_are({Dim::one, Dim::head_dim, Dim::kv_len})
            : columns_are({Dim::q_row, Dim::q_len})) {
      fail(hbm ? "columns of a tensor in HBM are head_dim or kv_len"
               : "columns of a tile on chip are head_dim, kv_tile, kv_len, splits or q_tile");
    }
  }

  int on_chip(std::size_t token) const {
    const int buffer = token < tokens().size() ? result_.find(tokens()[token].text, false) : -1;
    if (buffer < 0) fail("write `estimate O / l, m + ln l` or `estimate O, m + ln l`", token);
    return buffer;
  }

  void expect(std::size_t token, std::string_view text) const {
    if (token >= tokens().size() || tokens()[token].text != text) {
      fail(fmt::format("expected '{}'", text), token);
    }
  }

  void parse_estimate() {
    Estimate estimate;
    std::size_t n = 1;
    estimate.o = on_chip(n++);
    if (n < tokens().size() && tokens()[n].text == "/") {
      estimate.o_divisor = on_chip(n + 1);
      n += 2;
    }
    expect(n, ",");
    estimate.m = on_chip(n + 1);
    expect(n + 2, "+");
    expect(n + 3, "ln");
    estimate.l = on_chip(n + 4);
    result_.estimate = estimate;
    ++next_;
  }

  void parse_default() {
    expect(1, "score");
    expect(2, "=");
    result_.default_score = stage(3);
    ++next_;
  }

  void parse_phase() {
    if (tokens().size() != 2) fail("write `phase NAME`");
    Phase phase;
    phase.name = tokens()[1].text;
    ++next_;
    if (next_ >= lines_.size() || tokens()[0].text != "grid") {
      fail("a phase begins with `grid batch, head, …`");
    }
    parse_grid(phase);
    ++next_;
    const int indent = next_ < lines_.size() ? lines_[next_].indent : 0;
    if (indent == 0) fail("a phase needs indented statements under its grid");
    if (phase.grain == Grain::head) {
      if (tokens()[0].text != "for") {
        fail("under `grid batch, head` comes one `for` loop that holds everything");
      }
      parse_row_loop(phase, indent);
    } else {
      parse_row_body(phase, indent);
    }
    if (next_ < lines_.size() && lines_[next_].indent > 0) {
      fail(lines_[next_].indent == indent ? "a second loop: one a phase and level"
                                          : "this line is indented like no line above it");
    }
    check_axes(phase);
    result_.phases.push_back(std::move(phase));
  }

  // grid batch, head [, [unseen] q_tile | q_row [, split | [all] kv_tile]]
  void parse_grid(Phase& phase) {
    expect(1, "batch");
    expect(2, ",");
    expect(3, "head");
    std::size_t n = 4;
    const auto more = [&] {
      if (n >= tokens().size()) return false;
      expect(n++, ",");
      if (n >= tokens().size()) fail("an axis must follow the comma", n);
      return true;
    };
    phase.grain = Grain::head;
    if (!more()) return;
    phase.grain = Grain::row;
    if (tokens()[n].text == "unseen") {
      phase.row_visit = RowVisit::unseen;
      ++n;
    }
    if (n < tokens().size() && tokens()[n].text == "q_row") {
      phase.row_axis = RowAxis::q_row;
    } else {
      expect(n, "q_tile");
    }
    ++n;
    if (phase.row_axis == RowAxis::q_row || !more()) {
      if (n < tokens().size()) fail("nothing may follow here", n);
      return;
    }
    if (tokens()[n].text == "split") {
      phase.split_grid = true;
    } else {
      if (tokens()[n].text == "all") {
        phase.step_visit = Visit::all;
        ++n;
      }
      expect(n, "kv_tile");
      phase.grain = Grain::step;
      phase.step_axis = StepAxis::kv_tile;
    }
    if (n + 1 < tokens().size()) fail("nothing may follow here", n + 1);
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
    for (; n + 1 < tokens().size(); ++n) {
      const std::string& word = tokens()[n].text;
      if (word == "all") {
        result.all = true;
      } else if (word == "ascending") {
        result.order = KvOrder::ascending;
      } else if (word == "descending") {
        result.order = KvOrder::descending;
      } else {
        fail(fmt::format("unknown word '{}': {}", word,
                         nearest_name(word, {"all", "ascending", "descending"})),
             n);
      }
    }
    if (n >= tokens().size()) fail("write `for [all] [ascending|descending] kv_tile|q_tile|split`");
    result.axis = tokens()[n].text;
    if (result.axis != "kv_tile" && result.axis != "q_tile" && result.axis != "split") {
      fail(fmt::format("'{}' is no loop axis: {}", result.axis,
                       nearest_name(result.axis, {"kv_tile", "q_tile", "split"})),
           n);
    }
    if (result.order && result.axis != "kv_tile") fail("only kv tiles have an order", 1);
    return result;
  }

  void parse_row_loop(Phase& phase, int indent) {
    const ForLine loop = parse_for();
    if (loop.axis == "split") fail("the outer loop runs over kv_tile or q_tile");
    phase.row_axis = loop.axis == "kv_tile" ? RowAxis::kv_tile : RowAxis::q_tile;
    phase.row_visit = loop.all || loop.axis == "q_tile" ? RowVisit::all : RowVisit::non_empty;
    phase.kv_order = loop.order;
    ++next_;
    const int inner = next_ < lines_.size() ? lines_[next_].indent : 0;
    if (inner <= indent) fail("a loop needs indented statements");
    parse_row_body(phase, inner);
  }

  void parse_row_body(Phase& phase, int indent) {
    bool after_loop = false;
    while (next_ < lines_.size() && lines_[next_].indent == indent) {
      if (tokens()[0].text == "for") {
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
      fail(fmt::format("`for {}` has nothing to run over here: that axis is fixed already",
                       loop.axis));
    }
    phase.step_axis = loop.axis == "kv_tile"  ? StepAxis::kv_tile
                      : loop.axis == "q_tile" ? StepAxis::q_tile
                                              : StepAxis::split;
    phase.step_visit = loop.all ? Visit::all : Visit::non_empty;
    if (loop.all && loop.axis == "q_tile") fail("`all` applies to kv tiles only", 1);
    if (loop.order) phase.kv_order = loop.order;
    ++next_;
    const int inner = next_ < lines_.size() ? lines_[next_].indent : 0;
    if (inner <= indent) fail("a loop needs indented statements");
    while (next_ < lines_.size() && lines_[next_].indent == inner) {
      if (tokens()[0].text == "for") fail("loops nest at most two deep");
      phase.step.push_back(add_statement());
    }
    if (next_ < lines_.size() && lines_[next_].indent > indent) {
      fail("this line is indented like no line above it");
    }
  }

  int add_statement() {
    result_.lines.push_back(parse_statement(lines_[next_], result_, where_));
    ++next_;
    return static_cast<int>(result_.lines.size()) - 1;
  }

  // Every tile a line touches must have its q tile, kv tile or split fixed by a loop around it.
  void check_axes(const Phase& phase) const {
    const auto check = [&](const std::vector<int>& lines, bool in_step) {
      const bool q_tile = phase.row_axis == RowAxis::q_tile ||
                          (in_step && phase.step_axis == StepAxis::q_tile);
      const bool kv_tile = phase.row_axis == RowAxis::kv_tile ||
                           (in_step && phase.step_axis == StepAxis::kv_tile);
      const bool split = phase.split_grid || (in_step && phase.step_axis == StepAxis::split);
      for (const int index : lines) {
        const Line& line = result_.lines[static_cast<std::size_t>(index)];
        check_line(line, q_tile, kv_tile, split, phase.row_axis == RowAxis::q_row, in_step);
      }
    };
    check(phase.before, false);
    check(phase.step, true);
    check(phase.after, false);
  }

  void check_line(const Line& line, bool q_tile, bool kv_tile, bool split, bool q_row,
                  bool in_step) const {
    const auto fail_line = [&](const std::string& what) {
      fail_at(where_, line.source_line, 1, fmt::format("`{}`: {}", line.text, what));
    };
    std::vector<int> touched = line.operands;
    touched.push_back(line.result);
    for (const int index : touched) {
      const Buffer& buffer = result_.buffers[static_cast<std::size_t>(index)];
      for (const Dim d : {buffer.rows, buffer.columns}) {
        if ((d == Dim::q_tile && !q_tile) || (d == Dim::kv_tile && !kv_tile) ||
            (d == Dim::q_row && !q_row)) {
          fail_line(fmt::format("no loop around it fixes the {} of {}", name_of(d), buffer.name));
        }
      }
    }
    if (line.hbm >= 0) {
      const Buffer& tensor = result_.buffers[static_cast<std::size_t>(line.hbm)];
      const Buffer& tile = result_.buffers[static_cast<std::size_t>(line.result)];
      if (tensor.per_split && !split && tile.columns != Dim::splits) {
        fail_line(fmt::format("no loop around it fixes the split of {}", tensor.name));
      }
    }
    if (line.kind == LineKind::accumulate_split && !split) fail_line("no loop fixes the split");
    const bool conditional = line.when.classes != 0b111 || line.when.first || line.when.last;
    if (conditional && !in_step) {
      fail_line("conditions on the tile (partial, first, …) apply inside a step only");
    }
  }

  std::string where_;
  std::vector<TokenLine> lines_;
  std::size_t next_ = 0;
  Algorithm result_;
};

}  // namespace

Algorithm parse_algorithm(const std::string& text, const std::string& where) {
  return Parser(text, where).parse();
}

}  // namespace flashscope
