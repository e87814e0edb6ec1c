// `flashscope compare`: a record's measured bytes beside what the simulator counts. Needs no GPU.
#include <memory>

#include <fmt/format.h>

#include "gpu/measure/svg.h"
#include "sim/io/message_text.h"
#include "sim/io/write_file.h"
#include "sim/model/compare.h"
#include "sim/scenario/problem_json.h"
#include "viz/terminal/commands.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

struct CompareOptions {
  std::string record;
  std::string svg;
  bool json = false;
};

std::string tiles_of(const RecordRow& row) {
  const Tiling& t = row.tiling;
  return fmt::format("{}x{}{}", t.q_tile_rows, t.kv_tile_rows,
                     t.splits > 1 ? fmt::format(" /{}", t.splits) : "");
}

template <typename T>
Json nullable(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json row_json(const ComparedRow& row) {
  const RecordRow& r = row.measured_row;
  return {{"algorithm", r.algorithm},
          {"problem", to_json(r.problem)},
          {"q_tile", r.tiling.q_tile_rows},
          {"kv_tile", r.tiling.kv_tile_rows},
          {"splits", r.tiling.splits},
          {"pack_gqa", r.tiling.pack_gqa},
          {"measured_us", r.us ? Json(r.us->median) : Json(nullptr)},
          {"predicted_us", nullptr},
          {"measured",
           {{"l2_to_sm_bytes", nullable(row.measured.l2_to_sm_bytes)},
            {"dram_load_bytes", nullable(row.measured.dram_load_bytes)},
            {"dram_store_bytes", nullable(row.measured.dram_store_bytes)},
            {"shared_bytes", nullable(row.measured.shared_bytes)}}},
          {"simulated",
           {{"l2_to_sm_bytes", row.simulated.l2_to_sm_bytes},
            {"sm_to_l2_bytes", row.simulated.sm_to_l2_bytes},
            {"dram_load_bytes", nullptr},
            {"compulsory_load_bytes", row.simulated.compulsory_load_bytes}}},
          {"l2_to_sm_ratio", nullable(row.l2_to_sm_ratio())},
          {"gap", nullptr}};
}

std::string bytes_text(const std::optional<std::int64_t>& bytes) {
  return bytes ? readable_bytes(*bytes) : "-";
}

std::string ratio_text(const std::optional<double>& ratio) {
  if (!ratio) return "-";
  return *ratio < 1e4 ? fmt::format("{:.3f}", *ratio) : fmt::format("{:.3g}", *ratio);
}

std::string time_text(const std::optional<Spread>& us) {
  if (!us) return "-";
  return us->median < 1e7 ? fmt::format("{:.1f} us", us->median)
                          : fmt::format("{:.3g} us", us->median);
}

void print_rows(const std::vector<ComparedRow>& rows) {
  for (std::size_t i = 0; i < rows.size();) {
    const std::string problem = describe(rows[i].measured_row.problem);
    fmt::print("\n{}\n", styled(problem, Style::title));
    Table table("llrlrrr");
    table.header({"algorithm", "tiles", "measured", "bytes", "simulated", "measured", "ratio"});
    for (; i < rows.size() && describe(rows[i].measured_row.problem) == problem; ++i) {
      const ComparedRow& row = rows[i];
      const RecordRow& r = row.measured_row;
      table.row({styled(r.algorithm, Style::code), tiles_of(r), time_text(r.us), "L2 -> SM",
                 readable_bytes(row.simulated.l2_to_sm_bytes),
                 bytes_text(row.measured.l2_to_sm_bytes), ratio_text(row.l2_to_sm_ratio())});
      table.row({"", "", "", "DRAM read", readable_bytes(row.simulated.compulsory_load_bytes) + "*",
                 bytes_text(row.measured.dram_load_bytes), ratio_text(row.dram_load_ratio())});
      table.row({"", "", "", "written", readable_bytes(row.simulated.sm_to_l2_bytes),
                 bytes_text(row.measured.dram_store_bytes), "-"});
    }
    fmt::print("{}", table.text());
  }
  fmt::print("\n{}\n", wrapped("* at least: Q, K and V once. Simulated are the tile copies of the "
                               "two-level model, no cache: what moves between L2 and the SMs. "
                               "Written: simulated to L2, measured to DRAM; some may stay in L2."));
}

std::string svg_text(const Record& record, const std::vector<ComparedRow>& rows) {
  gpu::BarPlot plot;
  plot.title = "Bytes from L2 to the SMs: simulated and measured";
  plot.subtitle = fmt::format("{}, {}", record.device.name, record.date);
  plot.x_label = "algorithm, keys";
  plot.y_label = "bytes";
  plot.logarithmic = true;
  plot.series = {{"simulated (two-level model)", {}},
                 {fmt::format("measured ({})", record.counters.value_or("no counters")), {}}};
  const auto number = [](const std::optional<std::int64_t>& bytes) {
    return bytes ? std::optional(static_cast<double>(*bytes)) : std::nullopt;
  };
  for (const ComparedRow& row : rows) {
    const RecordRow& r = row.measured_row;
    plot.groups.push_back(fmt::format("{} {}{}", r.algorithm, r.problem.kv_len,
                                      r.problem.mask.causal ? " causal" : ""));
    plot.series[0].values.push_back(number(row.simulated.l2_to_sm_bytes));
    plot.series[1].values.push_back(number(row.measured.l2_to_sm_bytes));
  }
  return gpu::svg_of(plot);
}

int compare_command(const CompareOptions& options) {
  const Record record = read_record(options.record);
  const std::vector<ComparedRow> rows = compare(record, options.record);
  if (!options.svg.empty()) io::write_text(options.svg, svg_text(record, rows));
  if (options.json) {
    Json list = Json::array();
    for (const ComparedRow& row : rows) list.push_back(row_json(row));
    const Json output = {{"schema", "flashscope.compare/1"},
                         {"device", record.device.name},
                         {"date", record.date},
                         {"counters", nullable(record.counters)},
                         {"rows", list}};
    fmt::print("{}\n", output.dump(2));
    return 0;
  }
  fmt::print("{}\n", wrapped(io::printable(fmt::format(
                         "{}, driver {}, {}; counters: {}", record.device.name,
                         record.device.driver, record.date, record.counters.value_or("none")))));
  print_rows(rows);
  return 0;
}

}  // namespace

Action add_compare(CLI::App& command) {
  const auto options = std::make_shared<CompareOptions>();
  command.add_option("record", options->record, "a file of `flashscope gpu record`")->required();
  command.add_option("--svg", options->svg, "draw simulated beside measured into this file");
  command.add_flag("--json", options->json, "print JSON (flashscope.compare/1)");
  return [options] { return compare_command(*options); };
}

}  // namespace flashscope::terminal
