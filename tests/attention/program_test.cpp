// A Program never stores its ops; here the ways of reaching one (by index, by work item, along a
// chain, by a walk of everything) are held against each other on random problems.
#include "sim/attention/program.h"

#include <vector>

#include <doctest/doctest.h>

#include "sim/attention/alg_parser.h"
#include "tests/attention/sample_problem.h"

namespace flashscope::test {
namespace {

// Everything of a segment that speaks of the op's place; `counted` belongs to the walk.
bool same_place(const Segment& a, const Segment& b) {
  const auto key = [](const Segment& s) {
    return std::tuple(s.phase, s.part, s.batch, s.head, s.q_tile, s.kv_tile, s.split, s.q_row,
                      s.work_item, s.first_op, s.lines.data(), s.lines.size());
  };
  return key(a) == key(b) && (a.part != Part::step || a.kind == b.kind);
}

// The ops of the segments in the order visited; each must continue the one before.
std::vector<Op> ops_of(const Program& program, IndexRange range) {
  std::vector<Op> ops;
  program.visit(range, [&](const Segment& segment) {
    CHECK(segment.first_op == range.begin + static_cast<std::int64_t>(ops.size()));
    for (const int line : segment.lines) {
      ops.push_back({range.begin + static_cast<std::int64_t>(ops.size()), line, segment});
    }
  });
  return ops;
}

// The built-in tables, and fa1 with a line after its inner loop, which none of them has.
std::vector<Algorithm> algorithms() {
  std::vector<Algorithm> result;
  for (const std::string& name : built_in_algorithm_names()) result.push_back(load_algorithm(name));
  result.push_back(parse_algorithm(load_algorithm("fa1").source + "\n    load K\n", "edited fa1"));
  return result;
}

// Runs `check(program, ops in order)` on random problems of every algorithm.
template <typename F>
void on_random_programs(F check) {
  constexpr std::uint64_t kFirstSeed = 7, kProblems = 400;
  for (const Algorithm& algorithm : algorithms()) {
    for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kProblems; ++seed) {
      CAPTURE(algorithm.name);
      CAPTURE(seed);
      Dice dice(seed);
      const Sample sample = random_sample(dice, algorithm.name, 30);
      INFO(describe(sample));
      const Program program(sample.problem, algorithm, sample.tiling, sample.precision);
      check(program, ops_of(program, {0, program.size()}));
    }
  }
}

TEST_CASE("work items follow each other without a gap and cover every op") {
  on_random_programs([](const Program& program, const std::vector<Op>& ops) {
    REQUIRE(static_cast<std::int64_t>(ops.size()) == program.size());
    std::int64_t next = 0, items = 0;
    bool owned = true, same = true;
    for (std::int64_t item = 0; item < program.work_items(); ++item) {
      const IndexRange range = program.ops_of_work_item(item);
      CHECK(range.begin == next);
      for (const Op& op : ops_of(program, range)) {
        owned = owned && op.segment.work_item == item;
        const Op& walked = ops[static_cast<std::size_t>(op.index)];
        same = same && op.line == walked.line && same_place(op.segment, walked.segment);
      }
      next = range.end;
    }
    CHECK(next == program.size());
    CHECK(owned);
    CHECK(same);
    for (int phase = 0; phase < static_cast<int>(program.algorithm().phases.size()); ++phase) {
      items += program.work_items_of(phase);
    }
    CHECK(items == program.work_items());
  });
}

TEST_CASE("an op found by its index is the op that a walk meets there") {
  on_random_programs([](const Program& program, const std::vector<Op>& ops) {
    for (const Op& walked : ops) {
      const Op found = program.op(walked.index);
      const bool same = found.index == walked.index && found.line == walked.line &&
                        same_place(found.segment, walked.segment);
      if (!same) FAIL_CHECK("op ", walked.index, " differs");
    }
  });
}

TEST_CASE("the chains' counted segments hold every op exactly once, ascending within a phase") {
  on_random_programs([](const Program& program, const std::vector<Op>& ops) {
    std::vector<int> times(ops.size(), 0);
    bool in_order = true, same = true;
    for (std::int64_t index = 0; index < program.chains(); ++index) {
      const Chain chain = program.chain(index);
      int phase = 0;
      std::int64_t next = 0;  // no op of the chain before this one is still to come
      program.visit_chain(chain, [&](const Segment& segment) {
        in_order = in_order && segment.phase >= phase && segment.first_op >= next;
        phase = segment.phase;
        std::int64_t op = segment.first_op;
        for (const int line : segment.lines) {
          const Op& walked = ops.at(static_cast<std::size_t>(op));
          same = same && line == walked.line && same_place(segment, walked.segment);
          times[static_cast<std::size_t>(op)] += segment.counted ? 1 : 0;
          ++op;
        }
        next = op;
        const bool own = segment.batch == chain.batch && segment.head == chain.head &&
                         (segment.q_tile == chain.q_tile || segment.q_tile == -1);
        same = same && own;
      });
    }
    CHECK(in_order);
    CHECK(same);
    for (std::size_t op = 0; op < times.size(); ++op) {
      if (times[op] != 1) FAIL_CHECK("op ", op, " is in ", times[op], " chains");
    }
  });
}

TEST_CASE("a chain meets its kv tiles in the kv order, one of them marked first and one last") {
  on_random_programs([](const Program& program, const std::vector<Op>&) {
    const bool descending = program.tiling().kv_order == KvOrder::descending;
    for (std::int64_t index = 0; index < program.chains(); ++index) {
      const Chain chain = program.chain(index);
      std::vector<std::int64_t> visited;
      int first_count = 0, last_count = 0;
      program.visit_chain(chain, [&](const Segment& segment) {
        const Phase& phase = program.algorithm().phases[static_cast<std::size_t>(segment.phase)];
        const bool step_of_keys = segment.part == Part::step && segment.kv_tile >= 0 &&
                                  phase.name != "scores" && phase.name != "output";
        if (!step_of_keys) return;
        visited.push_back(segment.kv_tile);
        first_count += segment.kind.first ? 1 : 0;
        last_count += segment.kind.last ? 1 : 0;
      });
      CHECK(first_count == last_count);
      if (program.tiling().splits > 1 || visited.empty()) continue;
      CHECK(first_count == 1);
      for (std::size_t n = 0; n + 1 < visited.size(); ++n) {
        CHECK((descending ? visited[n] > visited[n + 1] : visited[n] < visited[n + 1]));
      }
    }
  });
}

}  // namespace
}  // namespace flashscope::test
