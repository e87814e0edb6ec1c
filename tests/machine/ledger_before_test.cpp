// ledger_before() against adding up the ops one by one, at every op of random programs.
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include "sim/machine/count.h"
#include "tests/attention/sample_problem.h"

namespace flashscope::test {
namespace {

TEST_CASE("what ops before a position cost is the sum over them") {
  constexpr std::uint64_t kFirstSeed = 77, kProblems = 60;
  for (const std::string& name : built_in_algorithm_names()) {
    const Algorithm algorithm = load_algorithm(name);
    for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kProblems; ++seed) {
      Dice dice(seed);
      const Sample sample = random_sample(dice, name, 24);
      INFO(name << ": " << describe(sample));
      const Program program(sample.problem, algorithm, sample.tiling, sample.precision);
      const std::int64_t stride = 1 + program.size() / 300;
      Ledger sum(algorithm);
      bool equal = true;
      for (std::int64_t index = 0; index < program.size(); ++index) {
        if (index % stride == 0) {
          const Ledger before = ledger_before(program, index);
          equal = equal && before.traffic() == sum.traffic() && before.work() == sum.work();
        }
        const Op op = program.op(index);
        add_op(program, op.segment, op.line, sum);
      }
      CHECK(equal);
      CHECK(ledger_before(program, program.size()).traffic() == count(program).ledger.traffic());
    }
  }
}

}  // namespace
}  // namespace flashscope::test
