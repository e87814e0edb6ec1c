// Small questions about algorithms, and where tables come from; see algorithm.h.
#include "sim/attention/algorithm.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "sim/attention/alg_parser.h"
#include "sim/attention/built_in_tables.h"
#include "sim/error.h"
#include "sim/expression/nearest_name.h"

namespace flashscope {

bool When::applies(const StepKind& kind, bool has_threshold) const {
  return (classes >> static_cast<unsigned>(kind.tile_class) & 1U) != 0 &&
         (!first || *first == kind.first) && (!last || *last == kind.last) &&
         (!threshold || *threshold == has_threshold);
}

Effects effects(const Line& line) {
  Effects result;
  if (line.kind == LineKind::store) {
    result.reads = {line.result};
    result.hbm_written = line.hbm;
    return result;
  }
  result.reads = line.operands;
  result.writes = {line.result};
  if (line.kind == LineKind::mask || line.kind == LineKind::cast) result.reads = {line.result};
  if (line.kind == LineKind::load) result.hbm_read = line.hbm;
  return result;
}

std::string Algorithm::full_name() const {
  return fault.empty() ? name : fmt::format("{} with fault {}", name, fault);
}

int Algorithm::find(std::string_view buffer, bool in_hbm) const {
  for (std::size_t n = 0; n < buffers.size(); ++n) {
    if (buffers[n].name == buffer && (buffers[n].place == Place::hbm) == in_hbm) {
      return static_cast<int>(n);
    }
  }
  return -1;
}

bool Algorithm::has_splits() const {
  return std::any_of(phases.begin(), phases.end(), [](const Phase& phase) {
    return phase.split_grid || phase.step_axis == StepAxis::split;
  });
}

bool Algorithm::has_threshold() const {
  return std::any_of(lines.begin(), lines.end(),
                     [](const Line& line) { return line.when.threshold.has_value(); });
}

Precision default_precision(const Algorithm& algorithm, Format dtype) {
  Precision precision;
  precision.input = precision.probability = precision.output = dtype;
  precision.score = algorithm.default_score == Stage::input ? dtype : Format::fp32;
  return precision;
}

Format format_of(Stage stage, const Precision& precision, const Tiling& tiling) {
  switch (stage) {
    case Stage::input:
      return precision.input;
    case Stage::score:
      return precision.score;
    case Stage::probability:
      return precision.probability;
    case Stage::accumulator:
      return precision.accumulator;
    case Stage::output:
      return precision.output;
    case Stage::workspace:
      return tiling.workspace_in_input_format ? precision.input : Format::fp32;
    case Stage::fp32:
      break;
  }
  return Format::fp32;
}

std::string_view name_of(Dim dim) {
  switch (dim) {
    case Dim::one:
      return "1";
    case Dim::q_row:
      return "q_row";
    case Dim::q_tile:
      return "q_tile";
    case Dim::kv_tile:
      return "kv_tile";
    case Dim::head_dim:
      return "head_dim";
    case Dim::splits:
      return "splits";
    case Dim::q_len:
      return "q_len";
    case Dim::kv_len:
      return "kv_len";
  }
  return "?";
}

std::string_view name_of(Stage stage) {
  switch (stage) {
    case Stage::input:
      return "input";
    case Stage::score:
      return "score";
    case Stage::probability:
      return "probability";
    case Stage::accumulator:
      return "accumulator";
    case Stage::output:
      return "output";
    case Stage::workspace:
      return "workspace";
    case Stage::fp32:
      return "fp32";
  }
  return "?";
}

std::vector<std::string> built_in_algorithm_names() {
  std::vector<std::string> names;
  for (const BuiltInTable& table : built_in_tables()) names.emplace_back(table.name);
  return names;
}

Algorithm load_algorithm(const std::string& name_or_path) {
  if (name_or_path.ends_with(".alg")) {
    std::ifstream file(name_or_path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) {
      throw Error(fmt::format("{}: the table can't be read: no such file, not a file, or empty",
                              name_or_path));
    }
    return parse_algorithm(text.str(), name_or_path);
  }
  for (const BuiltInTable& table : built_in_tables()) {
    if (table.name != name_or_path) continue;
    Algorithm algorithm =
        parse_algorithm(std::string(table.text), std::string(table.name) + ".alg");
    algorithm.origin = Algorithm::kBuiltIn;
    return algorithm;
  }
  std::vector<std::string> names = built_in_algorithm_names();
  throw Error(
      fmt::format("--algorithm '{}': there is no such table ({}; or a path that ends in "
                  ".alg); {}",
                  name_or_path, fmt::join(names, ", "), nearest_name(name_or_path, names)));
}

}  // namespace flashscope
