// See bench_report.h.
#include "gpu/measure/bench_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/attention/program.h"
#include "sim/error.h"
#include "sim/machine/count.h"

namespace flashscope::gpu {
namespace {

constexpr std::int64_t kPaperTokens = 16384, kPaperModelDim = 2048;
constexpr std::int64_t kKilo = 1024;

Problem make_problem(std::int64_t batch, std::int64_t q_heads, std::int64_t kv_heads,
                     std::int64_t q_len, std::int64_t kv_len, std::int64_t head_dim, bool causal,
                     Format dtype) {
  Problem problem;
  problem.batch = batch;
  problem.q_heads = q_heads;
  problem.kv_heads = kv_heads;
  problem.q_len = q_len;
  problem.kv_len = kv_len;
  problem.head_dim = head_dim;
  problem.scale = default_scale(head_dim);
  problem.mask.causal = causal;
  problem.dtype = dtype;
  return problem;
}

// Plots differ in what this says; their bars in the length.
struct PlotKind {
  std::string file, title;
  bool decode = false;
  friend bool operator==(const PlotKind&, const PlotKind&) = default;
};

PlotKind kind_of(const Problem& p) {
  const std::string dtype(name_of(p.dtype));
  const char* const mask = p.mask.causal ? "causal" : "full";
  if (p.q_len == 1) {
    return {fmt::format("decode_{}_d{}_b{}.svg", dtype, p.head_dim, p.batch),
            fmt::format("Decode: one query, batch {}, {} q heads on {} kv heads, head_dim {}, {}",
                        p.batch, p.q_heads, p.kv_heads, p.head_dim, dtype),
            true};
  }
  return {fmt::format("forward_{}_d{}_{}.svg", dtype, p.head_dim, mask),
          fmt::format("Attention forward, {}, head_dim {}, {}", mask, p.head_dim, dtype), false};
}

std::string length_text(std::int64_t length) {
  return length % kKilo == 0 && length > 0 ? fmt::format("{}k", length / kKilo)
                                           : std::to_string(length);
}

// The index of a value, which is added when it is new.
std::size_t index_of(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

BarPlot plot_of(const std::vector<BenchRow>& rows, const PlotKind& kind, const std::string& where) {
  BarPlot plot;
  plot.title = kind.title;
  plot.subtitle = where;
  plot.x_label = kind.decode ? "keys (kv_len)" : "sequence length (q_len)";
  plot.y_label = kind.decode ? "GB/s of Q, K, V, O, each once" : "TFLOP/s of visible scores";
  std::vector<std::string> names;
  for (const BenchRow& row : rows) {
    const Problem& p = row.row.problem;
    if (kind_of(p) != kind) continue;
    const std::size_t group = index_of(plot.groups, length_text(kind.decode ? p.kv_len : p.q_len));
    const std::size_t series = index_of(names, row.row.algorithm);
    plot.series.resize(names.size());
    plot.series[series].name = names[series];
    std::vector<std::optional<double>>& values = plot.series[series].values;
    values.resize(std::max(values.size(), group + 1));
    if (row.failed.empty()) values[group] = kind.decode ? row.gb_per_s : row.tflop_per_s;
  }
  return plot;
}

}  // namespace

UsefulWork useful_work(const Problem& problem) {
  // Visible scores do not depend on algorithm or tiles.
  Algorithm table = load_algorithm("fa2");
  const Precision precision = default_precision(table, problem.dtype);
  const Count counted = count(Program(problem, std::move(table), Tiling{}, precision));
  const auto q_rows = static_cast<double>(problem.batch * problem.q_heads * problem.q_len);
  const auto kv_rows = static_cast<double>(problem.batch * problem.kv_heads * problem.kv_len);
  const auto row_bytes = static_cast<double>(problem.head_dim * bytes_per_element(problem.dtype));
  constexpr double kLseBytes = 4;
  return {static_cast<double>(counted.useful_flops),
          2 * (q_rows + kv_rows) * row_bytes + q_rows * kLseBytes};
}

BenchRow bench_row(const RecordRow& row) {
  BenchRow result;
  result.row = row;
  if (!row.us) {
    result.failed = fmt::format("wrong: off by {:.2g} where {:.2g} is tolerated",
                                row.max_abs_error.value_or(0), row.tolerance.value_or(0));
    return result;
  }
  const UsefulWork work = useful_work(row.problem);
  result.tflop_per_s = work.flops / row.us->median / 1e6;
  result.gb_per_s = work.bytes / row.us->median / 1e3;
  return result;
}

BenchRow failed_row(const Problem& problem, std::string_view algorithm, std::string why) {
  BenchRow result;
  result.row.problem = problem;
  result.row.algorithm = algorithm;
  result.failed = std::move(why);
  return result;
}

std::vector<Problem> sweep(std::string_view name, Format dtype) {
  std::vector<Problem> problems;
  if (name == "paper") {
    for (const std::int64_t head_dim : {64, 128}) {
      for (const bool causal : {false, true}) {
        for (std::int64_t length = kKilo; length <= kPaperTokens; length *= 2) {
          const std::int64_t heads = kPaperModelDim / head_dim;
          problems.push_back(make_problem(kPaperTokens / length, heads, heads, length, length,
                                          head_dim, causal, dtype));
        }
      }
    }
  } else if (name == "decode") {
    constexpr std::int64_t kQHeads = 32, kKvHeads = 4, kHeadDim = 128;
    for (const std::int64_t batch : {1, 4, 16, 64}) {
      for (const std::int64_t keys : {8 * kKilo, 32 * kKilo, 128 * kKilo}) {
        problems.push_back(make_problem(batch, kQHeads, kKvHeads, 1, keys, kHeadDim, false, dtype));
      }
    }
  } else {
    throw Error(fmt::format("--sweep '{}': use paper or decode", name));
  }
  return problems;
}

std::vector<NamedPlot> plots_of(const std::vector<BenchRow>& rows, const std::string& where) {
  std::vector<NamedPlot> plots;
  std::vector<PlotKind> done;
  for (const BenchRow& row : rows) {
    const PlotKind kind = kind_of(row.row.problem);
    if (std::find(done.begin(), done.end(), kind) != done.end()) continue;
    done.push_back(kind);
    plots.push_back({kind.file, plot_of(rows, kind, where)});
  }
  return plots;
}

}  // namespace flashscope::gpu
