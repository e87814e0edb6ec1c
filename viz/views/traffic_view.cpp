// Sums and formulas side by side; see traffic_view.h.
#include "viz/views/traffic_view.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/attention/closed_forms.h"
#include "sim/machine/count.h"

namespace flashscope::views {
namespace {

constexpr std::int64_t kKib = 1024;

std::int64_t bytes_of(const std::vector<TrafficRow>& rows, const TrafficRow& wanted) {
  const auto same = std::find_if(rows.begin(), rows.end(), [&](const TrafficRow& row) {
    return row.phase == wanted.phase && row.tensor == wanted.tensor &&
           row.direction == wanted.direction;
  });
  return same == rows.end() ? 0 : same->bytes;
}

void add_closed_form(const Program& program, TrafficView& view) {
  const Algorithm& algorithm = program.algorithm();
  // A table of one's own may carry a built-in name; its traffic has no formula here.
  if (!algorithm.is_built_in()) {
    view.no_closed_form = "Formulas are there for the built-in tables without a fault.";
  } else if (program.problem().mask.expression) {
    view.no_closed_form = "A mask expression has no formula: its tiles have to be counted.";
  } else {
    view.closed_form =
        closed_form_bytes(program.problem(), program.tiling(), program.precision(), algorithm.name);
    if (!view.closed_form) view.no_closed_form = "This table has no formula.";
  }
}

void add_paper(const Program& program, const Device& device, TrafficView& view) {
  const Problem& problem = program.problem();
  const Mask& mask = problem.mask;
  const std::string& name = program.algorithm().name;
  const bool standard = name == "standard";
  if (!program.algorithm().is_built_in() || (!standard && name != "fa1" && name != "fa2")) {
    view.no_paper = "The papers count standard attention and FlashAttention.";
    return;
  }
  if (problem.q_len != problem.kv_len || mask.causal || mask.window_left >= 0 ||
      mask.window_right >= 0 || mask.expression) {
    view.no_paper = "The papers count N queries against N keys without a mask.";
    return;
  }
  const std::int64_t n = problem.q_len, d = problem.head_dim;
  const std::int64_t element = bytes_per_element(problem.dtype);
  const std::int64_t head_bytes = problem.batch * problem.q_heads * element;
  if (standard) {
    view.paper = PaperFormula{
        "4N² + 4Nd",
        fmt::format("Elements of one head: S and P written and read once each, and Q, K, V, O "
                    "passed once; times {} heads of {} B an element. It takes an SRAM that never "
                    "reads a row of Q, K or V twice; tiles do, so that their total is larger. "
                    "Dao et al. 2022, Algorithm 0.",
                    problem.batch * problem.q_heads, element),
        standard_paper_elements(n, d) * head_bytes, false};
    return;
  }
  const std::int64_t sram = device.shared_memory_per_block_kib * kKib / element;
  if (sram < d || sram > n * d) {
    view.no_paper = fmt::format(
        "The paper's N²d²/M holds for an SRAM of d ≤ M ≤ Nd elements; M is {} and Nd is {}.", sram,
        n * d);
    return;
  }
  view.paper = PaperFormula{
      "N²d²/M",
      fmt::format("Elements of one head for an SRAM of M = {} elements (a block's shared memory on "
                  "{}), times {} heads of {} B an element. An order of growth: the constant is "
                  "left out, so that it is no figure to be equal to. Dao et al. 2022, Theorem 2.",
                  sram, device.name, problem.batch * problem.q_heads, element),
      flash_paper_elements(n, d, sram) * head_bytes, true};
}

std::string number(std::int64_t value) { return std::to_string(value); }

}  // namespace

std::int64_t bytes_passed(const Ledger& ledger) {
  return ledger.all_load_bytes() + ledger.all_store_bytes();
}

std::optional<double> intensity(const Ledger& ledger) {
  const std::int64_t bytes = bytes_passed(ledger);
  if (bytes == 0) return std::nullopt;
  return static_cast<double>(ledger.work().matmul_flops) / static_cast<double>(bytes);
}

TrafficView traffic_view(const Program& program, std::int64_t op, const Ledger& so_far,
                         const Ledger& whole, const Device& device) {
  TrafficView view;
  view.op = op;
  view.ops = program.size();
  const std::vector<TrafficRow> passed = so_far.traffic();
  for (const TrafficRow& row : whole.traffic()) {
    view.items.push_back({row.phase, row.tensor, row.direction, bytes_of(passed, row), row.bytes});
  }
  view.bytes = bytes_passed(so_far);
  view.whole_bytes = bytes_passed(whole);
  view.whole_init_bytes = whole.init_bytes();
  view.work = so_far.work();
  view.whole_work = whole.work();
  add_closed_form(program, view);
  add_paper(program, device, view);
  return view;
}

Sheet traffic_sheet(const TrafficView& view) {
  Sheet sheet{{"phase", "tensor", "direction", "bytes so far", "bytes in all"}, {}};
  for (const TrafficItem& item : view.items) {
    sheet.rows.push_back({item.phase, item.tensor,
                          item.direction == Direction::load ? "HBM -> SRAM" : "SRAM -> HBM",
                          number(item.bytes), number(item.whole_bytes)});
  }
  sheet.rows.push_back({"all", "", "", number(view.bytes), number(view.whole_bytes)});
  if (view.closed_form) {
    sheet.rows.push_back({"closed form, without init", "", "", "", number(*view.closed_form)});
  }
  if (view.paper) {
    sheet.rows.push_back({"paper, " + view.paper->name, "", "", "", number(view.paper->bytes)});
  }
  return sheet;
}

Lane::Lane(const Program& program)
    : program_(&program), whole_(ledger_before(program, program.size())) {
  curve_.reserve(kPoints);
}

std::int64_t Lane::op_at(double fraction) const {
  const auto op = static_cast<std::int64_t>(
      std::floor(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(program_->size())));
  return std::clamp<std::int64_t>(op, 0, program_->size());
}

bool Lane::sample() {
  if (curve_.size() == kPoints) return false;
  const double fraction = static_cast<double>(curve_.size()) / (kPoints - 1);
  curve_.push_back(bytes_passed(ledger_before(*program_, op_at(fraction))));
  return true;
}

LaneState lane_state(const Lane& lane, std::int64_t op, const Ledger& so_far) {
  return {lane.name(),
          op,
          lane.program().size(),
          bytes_passed(so_far),
          bytes_passed(lane.whole()),
          so_far.work(),
          lane.whole().work(),
          intensity(so_far),
          intensity(lane.whole())};
}

LaneState lane_state(const Lane& lane, double fraction) {
  const std::int64_t op = lane.op_at(fraction);
  return lane_state(lane, op, ledger_before(lane.program(), op));
}

Sheet lockstep_sheet(const std::vector<LaneState>& lanes) {
  Sheet sheet{{"algorithm", "op", "ops", "bytes so far", "bytes in all", "exponentials so far",
               "rescales so far", "matmul FLOPs so far", "exponentials in all", "rescales in all",
               "matmul FLOPs in all", "FLOP/B in all"},
              {}};
  for (const LaneState& lane : lanes) {
    sheet.rows.push_back(
        {lane.name, number(lane.op), number(lane.ops), number(lane.bytes), number(lane.whole_bytes),
         number(lane.work.exponentials), number(lane.work.rescales), number(lane.work.matmul_flops),
         number(lane.whole_work.exponentials), number(lane.whole_work.rescales),
         number(lane.whole_work.matmul_flops),
         lane.whole_intensity ? fmt::format("{:.4g}", *lane.whole_intensity) : std::string()});
  }
  return sheet;
}

Roofline::Roofline(const Device& device)
    : flops_per_s(device.fp16_tensor_tflop_per_s * 1e12), bytes_per_s(device.hbm_gb_per_s * 1e9) {}

double Roofline::attainable(double intensity) const {
  return std::min(flops_per_s, intensity * bytes_per_s);
}

}  // namespace flashscope::views
