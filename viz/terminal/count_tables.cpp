// Tables of simulated traffic; see count_tables.h.
#include "viz/terminal/count_tables.h"

#include <fmt/format.h>

#include "sim/attention/closed_forms.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

std::string closed_form_text(const CountRow& row) {
  if (!row.closed_form) return styled("none", Style::dim);
  if (*row.closed_form == row.count.ledger.total_bytes()) return styled("equal", Style::good);
  return styled(grouped(*row.closed_form), Style::bad);
}

void print_summary(const std::vector<CountRow>& rows) {
  Table table("lrrrrrl");
  table.header({"algorithm", "tiles", "loads", "stores", "total", "flop/B", "closed form"});
  for (const CountRow& row : rows) {
    const Ledger& ledger = row.count.ledger;
    const Tiling& tiling = row.program->tiling();
    const double intensity = ledger.total_bytes() > 0
                                 ? static_cast<double>(row.count.useful_flops) /
                                       static_cast<double>(ledger.total_bytes())
                                 : 0;
    table.row({styled(row.program->algorithm().full_name(), Style::code),
               fmt::format("{}x{}", tiling.q_tile_rows, tiling.kv_tile_rows),
               styled(readable_bytes(ledger.load_bytes()), Style::bytes),
               styled(readable_bytes(ledger.store_bytes()), Style::bytes),
               styled(readable_bytes(ledger.total_bytes()), Style::bytes),
               fmt::format("{:.1f}", intensity), closed_form_text(row)});
  }
  fmt::print("{}", table.text());
}

void print_work(const std::vector<CountRow>& rows) {
  Table table("lrrrrrrr");
  table.header(
      {"algorithm", "work items", "full", "partial", "empty", "matmul", "exp", "rescales"});
  for (const CountRow& row : rows) {
    const Work& work = row.count.ledger.work();
    table.row({styled(row.program->algorithm().full_name(), Style::code),
               readable_count(row.count.work_items), readable_count(row.count.tiles.full),
               readable_count(row.count.tiles.partial), readable_count(row.count.tiles.empty),
               readable_count(work.matmul_flops), readable_count(work.exponentials),
               readable_count(work.rescales)});
  }
  fmt::print("\n{}", table.text());
}

void print_tensors(const CountRow& row) {
  Table table("lllr");
  table.header({"phase", "tensor", "direction", "bytes"});
  for (const TrafficRow& traffic : row.count.ledger.traffic()) {
    table.row({traffic.phase, styled(traffic.tensor, Style::code),
               traffic.direction == Direction::load ? "HBM -> SRAM" : "SRAM -> HBM",
               styled(grouped(traffic.bytes), Style::bytes)});
  }
  table.row({"all", "", "load", grouped(row.count.ledger.load_bytes())});
  table.row({"", "", "store", grouped(row.count.ledger.store_bytes())});
  if (row.count.ledger.init_bytes() > 0) {
    table.row({"", "", "init, apart", grouped(row.count.ledger.init_bytes())});
  }
  fmt::print("\n{}", table.text());
}

}  // namespace

CountRow count_row(const Program& program) {
  ProgressBar bar("counting");
  const auto progress = [&](std::int64_t done, std::int64_t total) { bar.update(done, total); };
  CountRow row{&program, count(program, progress), std::nullopt};
  // Somebody's own table may carry a built-in name; its traffic has no formula here.
  if (program.algorithm().is_built_in()) {
    row.closed_form = closed_form_bytes(program.problem(), program.tiling(), program.precision(),
                                        program.algorithm().name);
  }
  return row;
}

void print_counts(const Problem& problem, const std::vector<CountRow>& rows) {
  fmt::print(
      "{}\n{}\n\n",
      wrapped(fmt::format("{} {}", styled("Traffic of", Style::title), describe(problem))),
      styled("simulated, HBM<->SRAM, no cache: every tile copy counts each time", Style::dim));
  print_summary(rows);
  print_work(rows);
  if (rows.size() == 1) print_tensors(rows[0]);
  if (rows.size() > 1 && problem.kv_len > 0) {
    const double heads = static_cast<double>(problem.batch * problem.q_heads);
    const double elements =
        4.0 * static_cast<double>(problem.q_len) * static_cast<double>(problem.kv_len) +
        2.0 * static_cast<double>(problem.q_len + problem.kv_len) *
            static_cast<double>(problem.head_dim);
    fmt::print("\n  {}\n",
               styled(fmt::format("The papers' 4N\u00b2 + 4Nd for standard attention (each tensor "
                                  "once): {}",
                                  readable_bytes(static_cast<std::int64_t>(
                                      heads * elements *
                                      static_cast<double>(bytes_per_element(problem.dtype))))),
                      Style::dim));
  }
}

}  // namespace flashscope::terminal
