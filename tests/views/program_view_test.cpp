// The table beside the running program: current line, lines that do not apply, breakpoints, edits.
#include "viz/views/program_view.h"

#include <cstring>

#include <doctest/doctest.h>

#include "sim/error.h"
#include "viz/views/table_edit.h"

using namespace flashscope;

namespace {

Scenario scenario_of(bool causal) {
  Problem problem;
  problem.q_len = 6;
  problem.kv_len = 6;
  problem.head_dim = 4;
  problem.scale = 0.5;
  problem.dtype = Format::fp16;
  problem.mask.causal = causal;
  return generated_scenario(problem, 5, {});
}

Program program_of(const Scenario& scenario, Algorithm algorithm,
                   std::optional<double> threshold = {}) {
  Tiling tiling;
  tiling.q_tile_rows = 2;
  tiling.kv_tile_rows = 2;
  tiling.rescale_threshold = threshold;
  if (algorithm.has_splits()) tiling.splits = 2;
  const Precision precision = default_precision(algorithm, scenario.problem.dtype);
  return {scenario.problem, std::move(algorithm), tiling, precision};
}

// The text of the current line, and of all lines that do not execute, each with its reason.
struct Seen {
  std::string current;
  std::vector<std::string> dimmed, never;  // at this step, at any
};
Seen look(const Debugger& debugger) {
  const views::TableView table = views::table_view(debugger.program().algorithm());
  const views::ProgramView view = views::program_view(debugger, table);
  const auto text = [&](std::size_t n) {
    return debugger.program()
        .algorithm()
        .lines[static_cast<std::size_t>(table.lines[n].statement)]
        .text;
  };
  Seen seen;
  if (view.current > 0) seen.current = text(static_cast<std::size_t>(view.current) - 1);
  for (std::size_t n = 0; n < view.states.size(); ++n) {
    const views::LineState& state = view.states[n];
    if (state.why_not.empty()) continue;
    (state.never ? seen.never : seen.dimmed).push_back(text(n) + ": " + state.why_not);
  }
  return seen;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("fa2, causal: the current line, and what does not apply to its step") {
  const Scenario scenario = scenario_of(true);
  const Program program = program_of(scenario, load_algorithm("fa2"));
  Debugger debugger(scenario, program);
  CHECK(look(debugger).current == "load Q");
  CHECK(look(debugger).dimmed.empty());
  CHECK(look(debugger).never ==
        Texts{"cast S to score: score is fp32 here, so there is nothing to round",
              "m_new = m if m_new - m <= threshold: no rescale threshold is set",
              "cast O to accumulator: accumulator is fp32 here, so there is nothing to round"});

  // Rows 2-3 see keys 0-1 whole and keys 2-3 in part.
  debugger.go_to(debugger.op_of_tile(1, 0));
  CHECK(look(debugger).current == "load K");
  CHECK(look(debugger).dimmed ==
        Texts{"mask S: the tile is full", "O = alpha * O: this is the q tile's first step"});
  debugger.go_to(debugger.op_of_tile(1, 1) + 3);
  CHECK(look(debugger).current == "mask S");
  CHECK(look(debugger).dimmed.empty());

  debugger.go_to(program.size());
  CHECK(look(debugger).current.empty());
}

TEST_CASE("with a rescale threshold its line executes") {
  const Scenario scenario = scenario_of(false);
  const Program program = program_of(scenario, load_algorithm("fa2"), 8.0);
  for (const std::string& line : look(Debugger(scenario, program)).never) {
    CHECK(line.starts_with("cast"));
  }
}

TEST_CASE("fa1: lines of other phases and of other parts are left as they are") {
  const Scenario scenario = scenario_of(false);
  const Program program = program_of(scenario, load_algorithm("fa1"));
  Debugger debugger(scenario, program);
  CHECK(look(debugger).current == "O = 0");
  CHECK(look(debugger).dimmed.empty());
  debugger.go_to(debugger.op_of_tile(0, 2));
  CHECK(look(debugger).current == "load Q");
  CHECK(look(debugger).dimmed == Texts{"mask S: the tile is full",
                                       "store O to O_work: this is the q tile's last step",
                                       "store m to m_work: this is the q tile's last step",
                                       "store l to l_work: this is the q tile's last step"});
}

TEST_CASE("split_kv: the statement of the right phase is current") {
  const Scenario scenario = scenario_of(false);
  const Program program = program_of(scenario, load_algorithm("split_kv"));
  Debugger debugger(scenario, program);
  debugger.go_to(program.size() - 1);
  const views::TableView table = views::table_view(program.algorithm());
  const int current = views::program_view(debugger, table).current;
  CHECK(table.code[static_cast<std::size_t>(current) - 1].text == "  store LSE");
  CHECK(table.lines[static_cast<std::size_t>(current) - 1].phase == 1);
}

TEST_CASE("breakpoints stand at the lines where they stop, and other lines say why they can't") {
  const Scenario scenario = scenario_of(false);
  const Program program = program_of(scenario, load_algorithm("fa2"));
  Debugger debugger(scenario, program);
  const int id = debugger.add_breakpoint("alpha = exp", false);
  debugger.add_breakpoint("store if op > 3", false);
  debugger.add_breakpoint("wrong", false);  // at no line
  debugger.run_to(program.size());
  const views::TableView table = views::table_view(program.algorithm());
  const views::ProgramView view = views::program_view(debugger, table);
  for (std::size_t n = 0; n < table.lines.size(); ++n) {
    const std::string& text = table.code[n].text;
    const std::vector<int>& here = view.states[n].breakpoints;
    const int statement = table.lines[n].statement;
    CAPTURE(text);
    CHECK(table.lines[n].why_no_breakpoint.empty() == (statement >= 0));
    if (statement < 0) continue;
    const Line& line = program.algorithm().lines[static_cast<std::size_t>(statement)];
    CHECK(line.source_line == static_cast<int>(n) + 1);
    if (line.text == "alpha = exp(m - m_new)") {
      CHECK(here == std::vector<int>{0});
    } else if (line.kind == LineKind::store) {
      CHECK(here == std::vector<int>{1});
    } else {
      CHECK(here.empty());
    }
  }
  CHECK(debugger.breakpoints()[0].id == id);
  CHECK(views::describe(debugger.breakpoints()[0]) == "break alpha = exp: hit 1 time");
  CHECK(table.lines[0].why_no_breakpoint == "a comment: nothing executes here");
}

TEST_CASE("every statement of the tables has the form that it was read as") {
  for (const std::string& name : built_in_algorithm_names()) {
    const Algorithm algorithm = load_algorithm(name);
    for (const Line& line : algorithm.lines) {
      CAPTURE(line.text);
      CHECK(views::form_of(line, algorithm).kind == line.kind);
    }
    const auto form = [&](std::string_view text) -> std::string_view {
      for (const Line& line : algorithm.lines) {
        if (line.text == text) return views::form_of(line, algorithm).pattern;
      }
      return "";
    };
    CHECK(form("store LSE") == "store v");
    CHECK(form("store O") == "store A");
    if (name == "fa2") CHECK(form("S = scale * Q K'") == "A = scale * B C'");
    if (name == "fa1") CHECK(form("load m from m_work") == "load v from H");
    if (name == "standard") CHECK(form("S = Q K'") == "A = B C'");
    if (name == "standard") CHECK(form("store P_row to P") == "store A to H");
  }
}

TEST_CASE("colours of a table's words") {
  const Algorithm algorithm = load_algorithm("fa2");
  const auto lines = views::table_lines("  load K  # keys\n  m = -inf\n", algorithm.buffers);
  using views::Ink;
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].spans == std::vector<views::Span>{
                              {2, 6, Ink::keyword}, {7, 8, Ink::tensor}, {10, 16, Ink::comment}});
  CHECK(lines[1].spans.front() == views::Span{2, 3, Ink::tensor});
}

TEST_CASE("a mistake in an edited table has its place; a right table has none") {
  const Scenario scenario = scenario_of(false);
  const auto make = [&](Algorithm algorithm) { program_of(scenario, std::move(algorithm)); };
  const std::string honest = load_algorithm("fa2").source;
  CHECK_FALSE(views::check_table(honest, make));

  std::string wrong = honest;
  const std::size_t at = wrong.find("alpha = exp(m - m_new)");
  wrong.replace(at, 11, "alpha = epx");
  const views::TableMistake mistake = views::check_table(wrong, make);
  CHECK(mistake.line == load_algorithm("fa2").lines[12].source_line);
  CHECK(mistake.column == 13);
  CHECK(mistake.message.find("epx") != std::string::npos);
  CHECK(views::check_table("", make).line == 1);
  const views::TableMistake whole =
      views::check_table(honest, [](Algorithm) { throw Error("no room"); });
  CHECK(whole.line == 0);
  CHECK(whole.message == "no room");
}

TEST_CASE("lines in which an edited table differs") {
  const auto changes = [](const char* old_text, const char* new_text) {
    return views::describe(views::table_changes(old_text, new_text), "fa2");
  };
  CHECK(changes("a\nb\nc\n", "a\nb  \nc") == "the same as fa2");
  CHECK(changes("a\nb\nc\n", "a\nx\nc\n") == "line 2 differs from fa2");
  CHECK(changes("a\nb\nc\n", "a\nc\n") == "1 line of fa2 is gone");
  CHECK(changes("a\nb\nc\nd\n", "x\na\nd\ny\n") ==
        "lines 1 and 4 differ from fa2, 2 lines of it are gone");
  CHECK(changes("", "a\n") == "line 1 differs from fa2");
  CHECK(changes("a\n", "") == "1 line of fa2 is gone");
  CHECK(views::table_changes("a\nb\nc\n", "a\nc\n").removed == std::vector<int>{1});
}

TEST_CASE("a preview of the next op is what the op then leaves, and changes nothing") {
  const Scenario scenario = scenario_of(true);
  for (const std::string& name : built_in_algorithm_names()) {
    const Program program = program_of(scenario, load_algorithm(name));
    Session session(scenario, program);
    while (!session.at_end()) {
      const Op op = session.next_op();
      const int result = program.algorithm().lines[static_cast<std::size_t>(op.line)].result;
      const Tile before = session.tile(result);
      const Tile foreseen = session.preview();
      const auto same = [](const Tile& a, const Tile& b) {
        return a.values.size() == b.values.size() &&
               std::memcmp(a.values.data(), b.values.data(),
                           sizeof(float) * static_cast<std::size_t>(a.values.size())) == 0;
      };
      REQUIRE(same(before, session.tile(result)));
      session.step([&] { REQUIRE(same(foreseen, session.tile(result))); });
    }
  }
}
