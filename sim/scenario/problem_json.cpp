// JSON shapes shared by all commands; see problem_json.h.
#include "sim/scenario/problem_json.h"

#include <cmath>

namespace flashscope {

Json number_json(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

Json to_json(const Problem& problem) {
  const Mask& mask = problem.mask;
  Json mask_json = {{"causal", mask.causal},
                    {"window", {mask.window_left, mask.window_right}},
                    {"expression", nullptr}};
  if (mask.expression) mask_json["expression"] = mask.expression->text();
  return {
      {"batch", problem.batch}, {"q_heads", problem.q_heads},      {"kv_heads", problem.kv_heads},
      {"q_len", problem.q_len}, {"kv_len", problem.kv_len},        {"head_dim", problem.head_dim},
      {"scale", problem.scale}, {"dtype", name_of(problem.dtype)}, {"mask", mask_json}};
}

Json count_json(const Program& program, const Count& count, const Json& closed_form_bytes) {
  Json traffic = Json::array();
  for (const TrafficRow& row : count.ledger.traffic()) {
    traffic.push_back({{"phase", row.phase},
                       {"tensor", row.tensor},
                       {"direction", row.direction == Direction::load ? "load" : "store"},
                       {"bytes", row.bytes}});
  }
  const Work& work = count.ledger.work();
  const std::string& fault = program.algorithm().fault;
  return {{"name", program.algorithm().name},
          {"fault", fault.empty() ? Json(nullptr) : Json(fault)},
          {"q_tile", program.tiling().q_tile_rows},
          {"kv_tile", program.tiling().kv_tile_rows},
          {"splits", program.tiling().splits},
          {"work_items", count.work_items},
          {"steps",
           {{"full", count.tiles.full},
            {"partial", count.tiles.partial},
            {"empty", count.tiles.empty}}},
          {"traffic", traffic},
          {"load_bytes", count.ledger.load_bytes()},
          {"store_bytes", count.ledger.store_bytes()},
          {"init_bytes", count.ledger.init_bytes()},
          {"total_bytes", count.ledger.total_bytes()},
          {"closed_form_bytes", closed_form_bytes},
          {"matmul_flops", work.matmul_flops},
          {"useful_flops", count.useful_flops},
          {"nonmatmul_flops", work.nonmatmul_flops},
          {"exponentials", work.exponentials},
          {"rescales", work.rescales}};
}

}  // namespace flashscope
