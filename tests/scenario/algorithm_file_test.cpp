// Algorithms of the user's own, from files: arrangements that are right must run, be right and be
// counted like the built-in ones; odd but legal texts must mean the same. Mistakes are in
// algorithm_mistakes_test.cpp.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "own_table.h"
#include "run_support.h"
#include "sim/attention/alg_parser.h"
#include "sim/error.h"

using namespace flashscope;
using namespace flashscope::test;

namespace {

// A file that is there as long as this object is.
class TableFile {
 public:
  explicit TableFile(const std::string& text)
      : path_((std::filesystem::temp_directory_path() /
               fmt::format("flashscope_test_{}.alg", getpid()))
                  .string()) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TableFile() { std::filesystem::remove(path_); }
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::vector<Problem> problems() {
  std::vector<Problem> all(5, make_problem(2, 4, 2, 19, 26, 6));
  all[1].mask.causal = true;
  all[2].mask.window_left = 4;
  all[2].mask.window_right = 0;
  all[3].mask.expression = expression::MaskExpression::parse("(q/3 + k/5) % 2 == h % 2 && q != 7");
  all[4].dtype = Format::fp16;
  all[4].mask.causal = true;
  return all;
}

// Right on all problems, and counted as it runs. Hands each result to `also`.
void check_table(const std::string& path, const std::function<void(const Result&)>& also) {
  for (const Problem& problem : problems()) {
    const Scenario scenario = random_scenario(problem, 1);
    const Truth truth(scenario, problem.dtype);
    for (Tiling tiling : {tiles(1, 1), tiles(4, 3), tiles(8, 32), tiles(64, 64)}) {
      for (const bool packed : {false, true}) {
        tiling.pack_gqa = packed;
        also(check_variant(scenario, {path, tiling}, truth));
      }
    }
  }
}

std::vector<std::string> texts(const Algorithm& algorithm, const std::vector<int>& lines) {
  std::vector<std::string> result;
  for (const int line : lines) {
    result.push_back(algorithm.lines[static_cast<std::size_t>(line)].text);
  }
  return result;
}

std::string with_line_ends(std::string text, const std::string& end) {
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += end.size()) {
    text.replace(at, 1, end);
  }
  return text;
}

bool same_lines(const Algorithm& a, const Algorithm& b) {
  return std::ranges::equal(a.lines, b.lines, [](const Line& x, const Line& y) {
    return x.kind == y.kind && x.result == y.result && x.operands == y.operands && x.hbm == y.hbm &&
           x.text == y.text && x.when.classes == y.when.classes;
  });
}

}  // namespace

TEST_CASE("a table of one's own, from the last key to the first, is right and counted as it runs") {
  const TableFile file(kDeclarations + kBackwards);
  check_table(file.path(), [](const Result& result) {
    CHECK(result.totals.ledger.work().rescales == result.totals.rescales_applied);
  });

  const Algorithm algorithm = load_algorithm(file.path());
  CHECK(algorithm.name == "mine");
  CHECK(algorithm.origin == file.path());
  REQUIRE(algorithm.phases.size() == 1);
  CHECK(texts(algorithm, algorithm.phases[0].step) ==
        std::vector<std::string>{
            "load K", "S = Q K'", "S = scale * S", "mask S", "m_new = max(m, rowmax S)",
            "alpha = exp(m - m_new)", "O = alpha * O", "l = alpha * l", "P = exp(S - m_new)",
            "m = m_new", "l = l + rowsum P", "cast P to probability", "load V", "O = O + P V"});

  // Its order is its own: kv tiles 1 and then 0.
  const Program program(make_problem(1, 1, 1, 2, 4, 2), algorithm, tiles(2, 2), Precision{});
  std::vector<std::int64_t> order;
  for (std::int64_t op = 0; op < program.size(); ++op) {
    const Op at = program.op(op);
    const std::string& text = algorithm.lines[static_cast<std::size_t>(at.line)].text;
    if (text == "load K") order.push_back(at.segment.kv_tile);
  }
  CHECK(order == std::vector<std::int64_t>{1, 0});
}

TEST_CASE("a table in two passes over the keys is right and never rescales") {
  const TableFile file(kDeclarations + kTwoPasses);
  check_table(file.path(), [](const Result& result) {
    CHECK(result.totals.ledger.work().rescales == 0);
    CHECK(result.totals.rescales_applied == 0);
  });
}

TEST_CASE("comments, blank lines, line ends and a missing last one do not matter") {
  const std::string text = kDeclarations + kBackwards;
  const Algorithm plain = parse_algorithm(text, "plain.alg");
  CHECK(same_lines(parse_algorithm(with_line_ends(text, "\r\n"), "crlf.alg"), plain));
  CHECK(same_lines(parse_algorithm(with_line_ends(text, "\n\n\n"), "blank.alg"), plain));
  CHECK(same_lines(
      parse_algorithm(with_line_ends(text, "   # a \t comment: m = \xc3\xa9\n"), "c.alg"), plain));
  CHECK(same_lines(parse_algorithm(text.substr(0, text.size() - 1), "end.alg"), plain));
  CHECK(same_lines(parse_algorithm("\n# Title\n      # and more\n" + text, "top.alg"), plain));
}

TEST_CASE("the title is the first line's comment") {
  const std::string text = kDeclarations + kBackwards;
  CHECK(parse_algorithm("# My own table.\n" + text, "t.alg").title == "My own table.");
  CHECK(parse_algorithm(text, "t.alg").title.empty());
}

TEST_CASE("an estimate is optional, and tells how the state reads as an answer") {
  const std::string text = kDeclarations + kBackwards;
  CHECK_FALSE(parse_algorithm(text, "t.alg").estimate.has_value());
  const Algorithm lazy =
      parse_algorithm(kDeclarations + "estimate O / l, m + ln l\n" + kBackwards, "t.alg");
  REQUIRE(lazy.estimate.has_value());
  CHECK(lazy.estimate->o_divisor == lazy.find("l", false));
  const Algorithm eager =
      parse_algorithm(kDeclarations + "estimate O, m + ln l\n" + kBackwards, "t.alg");
  REQUIRE(eager.estimate.has_value());
  CHECK(eager.estimate->o == eager.find("O", false));
  CHECK(eager.estimate->o_divisor == -1);
}

TEST_CASE("conditions join, and any spacing of a statement is the same statement") {
  std::string text = kDeclarations + kBackwards;
  text.replace(text.find("mask S"), 6, "mask   S   when  not full and not  empty and last");
  text.replace(text.find("m_new = max(m, rowmax S)"), 24, "m_new=max( m ,rowmax S )");
  const Algorithm algorithm = parse_algorithm(text, "t.alg");
  const std::vector<std::string> steps = texts(algorithm, algorithm.phases[0].step);
  CHECK(steps[3] == "mask   S");
  CHECK(steps[4] == "m_new=max( m ,rowmax S )");
  const Line& mask = algorithm.lines[static_cast<std::size_t>(algorithm.phases[0].step[3])];
  CHECK(mask.when.applies({TileClass::partial, false, true}, false));
  CHECK_FALSE(mask.when.applies({TileClass::partial, false, false}, false));
  CHECK_FALSE(mask.when.applies({TileClass::full, false, true}, false));
  CHECK_FALSE(mask.when.applies({TileClass::empty, false, true}, false));
}

TEST_CASE("a path that can't be read, and an unknown name, are told apart") {
  CHECK_THROWS_WITH_AS(
      load_algorithm("no/such/file.alg"),
      "no/such/file.alg: the table can't be read: no such file, not a file, or empty", Error);
  CHECK_THROWS_WITH_AS(
      load_algorithm("fa_2"),
      "--algorithm 'fa_2': there is no such table (standard, fa1, fa2, split_kv; or "
      "a path that ends in .alg); did you mean 'fa2'?",
      Error);
}

TEST_CASE("an order that a table fixes can't be changed by the tiling") {
  std::string text = kDeclarations + kBackwards;
  text.replace(text.find("descending"), 10, "ascending");
  Tiling tiling = tiles(2, 2);
  tiling.kv_order = KvOrder::descending;
  CHECK_THROWS_AS(run_table(pencil_scenario(), parse_algorithm(text, "t.alg"), tiling, Precision{}),
                  Error);
}
