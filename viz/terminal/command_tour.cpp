// `flashscope tour`: what FlashAttention does, in four steps on one screen each: numbers checkable
// by hand, a real model's tensors, the bytes that move, and the error. Everything shown is computed
// here and now; the commands that show more stand beside it.
#include <cmath>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "sim/scenario/whisper.h"
#include "sim/setup/setup.h"
#include "viz/terminal/commands.h"
#include "viz/terminal/count_tables.h"
#include "viz/terminal/run_report.h"
#include "viz/terminal/screen.h"
#include "viz/terminal/walk_text.h"
#include "viz/views/walker.h"

namespace flashscope::terminal {
namespace {

// A person sees the same tiles in every step of the tour.
constexpr std::int64_t kQTile = 128, kKvTile = 64;

void step(int number, const char* title, const char* explanation, const char* command) {
  fmt::print("\n{}\n{}\n{}\n\n", styled(fmt::format("{}. {}", number, title), Style::title),
             explanation, styled(fmt::format("$ {}", command), Style::dim));
}

void walk_pencil() {
  const Scenario scenario = pencil_scenario();
  Tiling tiling;
  tiling.q_tile_rows = tiling.kv_tile_rows = 2;
  const Algorithm fa2 = load_algorithm("fa2");
  const Program program(scenario.problem, fa2, tiling,
                        default_precision(fa2, scenario.problem.dtype));
  views::WalkOptions options;
  options.rows = {0};
  views::Walker walker(scenario, program, options);
  WalkText text(scenario, program, walker.interpreter());
  text.heading(walker);
  walker.walk([&](const views::WalkEvent& event) { text.show(event); });
}

// The first two steps of the first work item.
void walk_real(const Scenario& scenario, const Program& program) {
  views::WalkOptions options;
  options.to_op = program.ops_of_work_item(0).begin + 23;
  views::Walker walker(scenario, program, options);
  WalkText text(scenario, program, walker.interpreter());
  text.heading(walker);
  walker.walk([&](const views::WalkEvent& event) { text.show(event); });
}

double expected_error(const Scenario& scenario, const Outputs& outputs,
                      const WhisperExpected& expected) {
  const Problem& problem = scenario.problem;
  double worst = 0;
  for (std::int64_t h = 0; h < problem.q_heads; ++h) {
    for (std::int64_t r = 0; r < problem.q_len; ++r) {
      for (std::int64_t d = 0; d < problem.head_dim; ++d) {
        float want = 0;
        const std::int64_t index = (h * problem.q_len + r) * problem.head_dim + d;
        std::memcpy(&want, expected.o.data.get() + index * 4, sizeof want);
        worst = std::max(worst, std::abs(static_cast<double>(outputs.o.at(0, h, r, d)) -
                                         static_cast<double>(want)));
      }
    }
  }
  return worst;
}

Program real_program(const Problem& problem, const std::string& name, Format dtype) {
  Algorithm algorithm = load_algorithm(name);
  Tiling tiling;
  tiling.q_tile_rows = kQTile;
  tiling.kv_tile_rows = kKvTile;
  const Precision precision = default_precision(algorithm, dtype);
  return {problem, std::move(algorithm), tiling, precision};
}

void show_errors(const Scenario& scenario, const WhisperProblem& whisper) {
  Table table("llrrrr");
  table.header({"algorithm", "precision", "max |O - fp64|", "rmse", "vs. expected file", "time"});
  const WhisperExpected expected = whisper_expected(whisper);
  for (const Format dtype : {Format::fp32, Format::fp16}) {
    for (const char* name : {"standard", "fa1", "fa2"}) {
      const Program program = real_program(scenario.problem, name, dtype);
      const RunReport report = run_and_verify(scenario, program, {});
      table.row({styled(name, Style::code), std::string(name_of(dtype)),
                 styled(fmt::format("{:.1e}", report.verification.max_abs_error), Style::good),
                 fmt::format("{:.1e}", report.verification.rmse),
                 fmt::format("{:.1e}", expected_error(scenario, report.outputs, expected)),
                 fmt::format("{:.3f} s", report.seconds)});
    }
  }
  fmt::print("{}", table.text());
}

int tour() {
  fmt::print("{}\n",
             styled("FlashScope: FlashAttention, tile by tile, every byte counted", Style::title));
  step(1, "By hand",
       "Four queries, four keys, head dim 2, cut into 2 x 2 tiles. Follow query row 0\n"
       "with a pencil: the running max m moves from 1 to 3 in the second tile, so what\n"
       "was summed before is rescaled by alpha = e^(1-3).",
       "flashscope walk --rows 0");
  walk_pencil();

  const WhisperProblem& whisper = whisper_problems().front();
  const Scenario scenario = whisper_scenario(whisper);
  step(2, "A trained model",
       "The same table of lines on real Q, K and V: a speech recogniser's encoder\n"
       "(Whisper tiny.en, 2 heads of 1500 x 1500). The first two of 24 kv tiles:",
       "flashscope walk --problem whisper-encoder --q-tile 128 --kv-tile 64");
  walk_real(scenario, real_program(scenario.problem, "fa2", Format::fp16));

  step(3, "The bytes",
       "What three algorithms move between HBM and SRAM for these tensors. standard\n"
       "writes S and P out and reads them back; fa1 carries O, m and l to HBM and back\n"
       "for every kv tile; fa2 keeps them on chip.",
       "flashscope count --problem whisper-encoder --q-tile 128 --kv-tile 64 \\\n    --algorithm "
       "all");
  std::vector<Program> programs;
  for (const char* name : {"standard", "fa1", "fa2"}) {
    programs.push_back(real_program(scenario.problem, name, Format::fp16));
  }
  std::vector<CountRow> rows;
  for (const Program& program : programs) rows.push_back(count_row(program));
  print_counts(scenario.problem, rows);

  step(4, "The error",
       "All of them compute the same attention. Against fp64 on the same inputs, and\n"
       "against outputs that another program computed:",
       "flashscope run --problem whisper-encoder --algorithm fa2");
  show_errors(scenario, whisper);

  fmt::print(
      "\n{}\n  flashscope walk --algorithm fa1          the loops the other way round\n"
      "  flashscope count --help                  masks, GQA, lengths up to millions\n"
      "  flashscope fit --head-dim 128            what fits into a GPU's SRAM\n",
      styled("Next", Style::title));
  return 0;
}

}  // namespace

Action add_tour(CLI::App&) { return tour; }

}  // namespace flashscope::terminal
