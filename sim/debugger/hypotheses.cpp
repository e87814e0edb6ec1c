// Which faults to suspect, and running them; see hypotheses.h.
#include "sim/debugger/hypotheses.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/error.h"
#include "sim/machine/interpreter.h"

namespace flashscope {
namespace {

// The sizes up to the first that holds everything: larger ones are the same tile.
std::vector<std::int64_t> useful_sizes(std::vector<std::int64_t> sizes, std::int64_t length) {
  std::sort(sizes.begin(), sizes.end());
  const auto holds_all =
      std::find_if(sizes.begin(), sizes.end(), [&](std::int64_t size) { return size >= length; });
  if (holds_all != sizes.end()) sizes.erase(holds_all + 1, sizes.end());
  return sizes;
}

// Calls visitor(chain, rows) for every chain that holds one of the rows, once each.
template <typename Visitor>
bool visit_chains_of(const Program& program, const std::vector<ProbeRow>& rows, Visitor visitor) {
  std::vector<Chain> done;
  for (const ProbeRow& probe : rows) {
    const Chain chain{probe.batch, probe.head, probe.row / program.tiling().q_tile_rows};
    const bool again = std::any_of(done.begin(), done.end(), [&](const Chain& other) {
      return other.batch == chain.batch && other.head == chain.head && other.q_tile == chain.q_tile;
    });
    if (again) continue;
    done.push_back(chain);
    if (!visitor(chain,
                 tile_rows(chain.q_tile, program.tiling().q_tile_rows, program.problem().q_len))) {
      return false;
    }
  }
  return true;
}

Candidate untested(const Hypothesis& hypothesis) {
  Candidate candidate;
  candidate.fault = hypothesis.fault;
  candidate.form = hypothesis.form;
  candidate.q_tile = hypothesis.tiling.q_tile_rows;
  candidate.kv_tile = hypothesis.tiling.kv_tile_rows;
  candidate.kv_order = hypothesis.tiling.kv_order;
  return candidate;
}

void run_chain(const Program& program, Interpreter& interpreter, const Chain& chain) {
  interpreter.begin(chain);
  program.visit_chain(chain,
                      [&](const Segment& segment) { interpreter.execute(segment, nullptr); });
}

}  // namespace

std::vector<Hypothesis> hypotheses(const Problem& problem, const DiagnoseOptions& options,
                                   KvOrder kv_order) {
  std::vector<Hypothesis> all;
  const Algorithm fa2 = load_algorithm("fa2");
  // Rows do not know of the other rows of their q tile, except through the tiles a mask skips.
  const Mask& mask = problem.mask;
  const bool skips = mask.causal || mask.expression || mask.window_left != kUnbounded ||
                     mask.window_right != kUnbounded;
  const std::vector<std::int64_t> q_tiles =
      skips ? useful_sizes(options.q_tiles, problem.q_len)
            : std::vector<std::int64_t>{options.q_tiles.front()};
  for (const Fault& fault : faults()) {
    if (!can_show_on(fault, problem)) continue;
    const bool counts_tail = fault.needs == FaultNeeds::tail;
    const std::vector<std::int64_t> kv_tiles =
        counts_tail ? options.kv_tiles : useful_sizes(options.kv_tiles, problem.kv_len);
    for (const FaultForm& form : fault.forms) {
      const auto algorithm = std::make_shared<Algorithm>(fa2);
      apply_fault(*algorithm, fault, form);
      for (const std::int64_t q_tile : q_tiles) {
        for (const std::int64_t kv_tile : kv_tiles) {
          Hypothesis& next = all.emplace_back(Hypothesis{&fault, &form, {}, algorithm});
          next.tiling.q_tile_rows = q_tile;
          next.tiling.kv_tile_rows = kv_tile;
          next.tiling.kv_order = kv_order;
        }
      }
    }
  }
  // There kv rows become heads, of which q heads must be a multiple.
  if (problem.q_heads > 1 && problem.kv_len > 0 && problem.q_len % problem.kv_len == 0) {
    Hypothesis& next =
        all.emplace_back(Hypothesis{&find_fault("layout_swapped"), &heads_as_rows(), {}, nullptr});
    next.tiling.q_tile_rows = options.q_tiles.front();
    next.tiling.kv_tile_rows = options.kv_tiles.front();
  }
  return all;
}

const FaultForm& heads_as_rows() {
  static const FaultForm form{"as a shape: rows attend across the heads", {{}}, nullptr};
  return form;
}

PlainError plain_error(const Scenario& scenario, const Precision& precision,
                       const std::vector<ProbeRow>& probes) {
  Precision plain = precision;
  plain.score = plain.probability = precision.input;
  const Problem& problem = scenario.problem;
  Tiling tiling;
  tiling.q_tile_rows = 32;
  const Program program(problem, load_algorithm("standard"), tiling, plain);
  Outputs outputs = make_outputs(problem, plain);
  Interpreter interpreter(program, scenario.inputs, outputs);
  const reference::Inputs inputs =
      reference_inputs(scenario, precision.input, ReferenceInput::rounded);
  const auto width = static_cast<std::size_t>(problem.head_dim);
  std::vector<float> row(width);
  PlainError worst;
  visit_chains_of(program, probes, [&](const Chain& chain, IndexRange rows) {
    run_chain(program, interpreter, chain);
    std::vector<std::int64_t> indices;
    for (std::int64_t r = rows.begin; r < rows.end; ++r) indices.push_back(r);
    const reference::Rows want =
        reference::attention(problem, inputs, chain.batch, chain.head, indices);
    for (std::size_t n = 0; n < indices.size(); ++n) {
      outputs.o.read_row(chain.batch, chain.head, indices[n], row);
      for (std::size_t d = 0; d < width; ++d) {
        worst.o = std::max(worst.o, difference(row[d], want.o[n * width + d]));
      }
      worst.lse =
          std::max(worst.lse,
                   difference(outputs.lse.at(chain.batch, chain.head, indices[n], 0), want.lse[n]));
    }
    return true;
  });
  return worst;
}

HypothesisTester::HypothesisTester(const Scenario& scenario, const Observed& observed,
                                   const Precision& precision, const Tolerance& tolerance)
    : scenario_(scenario),
      observed_(observed),
      precision_(precision),
      tolerance_(tolerance),
      outputs_(make_outputs(scenario.problem, precision)),
      here_(static_cast<std::size_t>(scenario.problem.head_dim)),
      there_(here_.size()) {}

// fp64 computes the few rows: how they are tiled makes no difference here.
Candidate HypothesisTester::test_heads_as_rows(const Hypothesis& hypothesis,
                                               const std::vector<ProbeRow>& probes) {
  Candidate candidate = untested(hypothesis);
  Problem problem = scenario_.problem;
  std::swap(problem.q_heads, problem.q_len);
  std::swap(problem.kv_heads, problem.kv_len);
  const auto exchanged = [](const reference::RowReader& read) -> reference::RowReader {
    return
        [read](std::int64_t b, std::int64_t h, std::int64_t r, double* out) { read(b, r, h, out); };
  };
  const reference::Inputs given =
      reference_inputs(scenario_, precision_.input, ReferenceInput::rounded);
  const reference::Inputs inputs{exchanged(given.q), exchanged(given.k), exchanged(given.v)};
  largest_o_ = 0;
  for (const ProbeRow& probe : probes) {
    const std::vector<std::int64_t> row = {probe.head};
    const reference::Rows want = reference::attention(problem, inputs, probe.batch, probe.row, row);
    const std::vector<float> o(want.o.begin(), want.o.end());
    outputs_.o.write_row(probe.batch, probe.head, probe.row, o);
    // LSE comes out as (b,s,h): its shape tells.
    const auto lse = static_cast<float>(want.lse[0]);
    outputs_.lse.write_row(probe.batch, probe.head, probe.row, {&lse, 1});
    const HeadRow at{probe.head, probe.row};
    compare_row(at, at, probe.batch, candidate);
    if (candidate.share > 1) return candidate;
  }
  candidate.reproduces = true;
  return candidate;
}

Candidate HypothesisTester::test(const Hypothesis& hypothesis,
                                 const std::vector<ProbeRow>& probes) {
  if (hypothesis.form == &heads_as_rows()) return test_heads_as_rows(hypothesis, probes);
  Candidate candidate = untested(hypothesis);
  const Problem& problem = scenario_.problem;
  const Program program(problem, *hypothesis.algorithm, hypothesis.tiling, precision_);
  Interpreter interpreter(program, scenario_.inputs, outputs_);
  const bool moved = program.algorithm().behaviour.layout_swapped;
  std::vector<ProbeRow> rows = probes;
  for (ProbeRow& probe : rows) {
    if (!moved) continue;  // else: what was computed for another row is found at this place
    const HeadRow from =
        read_as_heads_rows({probe.head, probe.row}, problem.q_heads, problem.q_len);
    probe.head = from.head;
    probe.row = from.row;
  }
  largest_o_ = 0;
  candidate.reproduces = visit_chains_of(program, rows, [&](const Chain& chain, IndexRange range) {
    run_chain(program, interpreter, chain);
    for (std::int64_t row = range.begin; row < range.end; ++row) {
      const HeadRow own{chain.head, row};
      compare_row(moved ? read_as_rows_heads(own, problem.q_heads, problem.q_len) : own, own,
                  chain.batch, candidate);
    }
    return candidate.share <= 1;
  });
  return candidate;
}

void HypothesisTester::compare_row(const HeadRow& o_at, const HeadRow& lse_at, std::int64_t batch,
                                   Candidate& candidate) {
  outputs_.o.read_row(batch, o_at.head, o_at.row, here_);
  observed_.o.read_row(batch, o_at.head, o_at.row, there_);
  for (std::size_t d = 0; d < here_.size(); ++d) {
    candidate.residual = std::max(candidate.residual, difference_of_wrong(here_[d], there_[d]));
    if (std::isfinite(here_[d])) {
      largest_o_ = std::max(largest_o_, static_cast<double>(std::abs(here_[d])));
    }
  }
  if (observed_.lse) {
    float seen = 0;
    observed_.lse->read_row(batch, lse_at.head, lse_at.row, {&seen, 1});
    const double lse = outputs_.lse.at(batch, lse_at.head, lse_at.row, 0);
    // fp32 holds a large LSE (log2 e times as large, or -1e9) with that many fewer digits.
    const double digits = std::isfinite(lse) ? 0x1p-23 * std::abs(lse) : 0;
    const double d = difference_of_wrong(lse, static_cast<double>(seen));
    candidate.lse_residual = std::max(candidate.lse_residual, d);
    candidate.lse_share =
        std::max(candidate.lse_share, d == 0 ? 0 : d / (2 * tolerance_.lse + digits));
  }
  // Both sides round, and large wrong values round in proportion.
  const double growth = std::max(1.0, largest_o_ / std::max(tolerance_.largest_o, 0x1p-126));
  const double allowed = 2 * tolerance_.o * growth;
  if (candidate.residual > 0) {
    candidate.share = std::max(candidate.share, candidate.residual / allowed);
  }
}

}  // namespace flashscope
