// libFuzzer target: any text as an .alg table is rejected with an Error, or is an algorithm whose
// Program on a small problem hangs together: op() agrees with the walk over segments, the ledger of
// an execution with count(). Whether the numbers make sense is the table's own business; that they
// are right for the built-in tables is tested in tests/scenario/.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>

#include "sim/attention/alg_parser.h"
#include "sim/error.h"
#include "sim/machine/count.h"
#include "sim/machine/interpreter.h"
#include "sim/scenario/scenario.h"

namespace {

using namespace flashscope;

constexpr std::int64_t kMostOps = 20'000;

void require(bool fact) {
  if (!fact) std::abort();
}

// Two heads of 5 x 7, causal: empty, partial and full tiles, and tails both ways.
Scenario small_scenario(std::int64_t head_dim) {
  Problem problem;
  problem.q_heads = problem.kv_heads = 2;
  problem.q_len = 5;
  problem.kv_len = 7;
  problem.head_dim = head_dim;
  problem.mask.causal = true;
  return generated_scenario(problem, 1, {});
}

Tiling tiling_for(const Algorithm& algorithm, std::int64_t q_tile_rows, std::int64_t kv_tile_rows) {
  Tiling tiling;
  tiling.q_tile_rows = q_tile_rows;
  tiling.kv_tile_rows = kv_tile_rows;
  if (algorithm.has_splits()) tiling.splits = 3;
  if (algorithm.has_threshold()) tiling.rescale_threshold = 1;
  return tiling;
}

// Every op is found at its index, in the segment that the walk has there.
void check_ops(const Program& program) {
  std::int64_t next = 0;
  program.visit({0, program.size()}, [&](const Segment& segment) {
    require(segment.first_op == next);
    require(segment.work_item >= 0 && segment.work_item < program.work_items());
    for (const int line : segment.lines) {
      const Op op = program.op(next);
      require(op.index == next++ && op.line == line);
      require(op.segment.first_op == segment.first_op && op.segment.part == segment.part);
      require(op.segment.work_item == segment.work_item);
    }
  });
  require(next == program.size());
}

void check_execution(const Program& program, const Scenario& scenario) {
  Outputs outputs = make_outputs(program.problem(), program.precision());
  Interpreter interpreter(program, scenario.inputs, outputs);
  Ledger ledger(program.algorithm());
  for (std::int64_t index = 0; index < program.chains(); ++index) {
    const Chain chain = program.chain(index);
    interpreter.begin(chain);
    program.visit_chain(chain, [&](const Segment& s) { interpreter.execute(s, &ledger); });
  }
  const Ledger counted = count(program).ledger;
  require(ledger.traffic() == counted.traffic());
  require(ledger.work() == counted.work());
}

void check(const Algorithm& algorithm, const Scenario& scenario, const Tiling& tiling) {
  try {
    const Precision precision = default_precision(algorithm, scenario.problem.dtype);
    const Program program(scenario.problem, algorithm, tiling, precision);
    if (program.size() > kMostOps) return;
    check_ops(program);
    check_execution(program, scenario);
  } catch (const Error&) {
  }
}

// Replaces one word of a table by another of its words: random bytes alone seldom make a new table
// that parses.
std::string with_word_replaced(const std::string& text, unsigned seed) {
  std::minstd_rand random(seed);
  const auto pick = [&] {
    const std::size_t at = text.empty() ? 0 : random() % text.size();
    const std::size_t before = text.find_last_of(" \n", at);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    return std::pair(begin, end - begin);
  };
  const auto [to, to_length] = pick();
  const auto [from, from_length] = pick();
  std::string result = text;
  return result.replace(to, to_length, text, from, from_length);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  if (seed % 4 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string text = with_word_replaced(std::string(data, data + size), seed);
  if (text.size() > max_size) return size;
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Scenario narrow = small_scenario(1), wide = small_scenario(3);
  try {
    const Algorithm algorithm = parse_algorithm(std::string(data, data + size), "input");
    check(algorithm, wide, tiling_for(algorithm, 2, 2));
    check(algorithm, narrow, tiling_for(algorithm, 3, 4));
  } catch (const Error&) {
  }
  return 0;
}
