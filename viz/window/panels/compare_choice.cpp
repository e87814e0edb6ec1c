// The controls of B; see compare_choice.h.
#include "viz/window/panels/compare_choice.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "sim/attention/faults.h"
#include "sim/error.h"

namespace flashscope::window {
namespace {

constexpr const char* kKinds[] = {"fault", "algorithm", "precision", "tiles", "kv order"};
constexpr const char* kStages[] = {"dtype", "score", "probability", "accumulator", "output"};
constexpr const char* kFormats[] = {"fp32", "fp16", "bf16", "e4m3"};
constexpr const char* kOrders[] = {"ascending", "descending"};
constexpr int kLargestTile = 1 << 16;

const char* explain_stage(std::string_view stage) {
  if (stage == "dtype") return "Q, K, V and O in HBM, and P on chip";
  if (stage == "score") return "S = scale · Q Kᵀ";
  if (stage == "probability") return "P = e^(S − m)";
  if (stage == "accumulator") return "O on chip, rounded once per kv tile";
  return "O as stored";
}

// A combo box of words, each with a sentence in a tooltip; true when another one was chosen.
template <typename Words, typename Explain>
bool combo(const char* id, std::string& value, const Words& words, const char* empty,
           const Explain& explain) {
  bool changed = false;
  if (!ImGui::BeginCombo(id, value.empty() ? empty : value.c_str())) return false;
  for (const auto& item : words) {
    const std::string word(item);
    if (ImGui::Selectable(word.empty() ? empty : word.c_str(), word == value)) {
      changed = word != value;
      value = word;
    }
    if (const std::string text = explain(word); !text.empty()) {
      ImGui::SetItemTooltip("%s", text.c_str());
    }
    if (word == value) ImGui::SetItemDefaultFocus();
  }
  ImGui::EndCombo();
  return changed;
}

// On the same line where there is room for `width`, else below.
void next(float width) {
  ImGui::SameLine();
  if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
  ImGui::SetNextItemWidth(std::min(width, ImGui::GetContentRegionAvail().x));
}

}  // namespace

void CompareChoice::adapt(const Context& context) {
  const Program& program = context.program();
  // Against a program with a fault, the honest one is what one wants to see first.
  if (!program.algorithm().fault.empty()) {
    kind_ = Kind::fault;
    fault_.clear();
  } else if (fault_.empty()) {
    fault_ = "o_not_rescaled";
  }
  if (kind_ == Kind::fault && program.algorithm().fault.empty()) {
    try {
      Algorithm algorithm = program.algorithm();
      apply_fault(algorithm, fault_);
    } catch (const Error&) {
      kind_ = Kind::algorithm;  // the table has no line to spoil
    }
  }
  if (algorithm_ == program.algorithm().name) algorithm_ = algorithm_ == "fa2" ? "fa1" : "fa2";
  order_ = program.tiling().kv_order == KvOrder::ascending ? "descending" : "ascending";
  q_tile_ = static_cast<int>(program.tiling().q_tile_rows);
  kv_tile_ = static_cast<int>(std::max<std::int64_t>(1, program.tiling().kv_tile_rows / 2));
}

bool CompareChoice::draw() {
  const float em = ImGui::GetFontSize();
  std::string kind = kKinds[static_cast<int>(kind_)];
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("B differs in");
  next(7 * em);
  bool changed = combo("##what", kind, kKinds, "", [](const std::string&) { return ""; });
  ImGui::SetItemTooltip("What B has different from A, the running program. All else is the same.");
  if (changed) {
    kind_ = static_cast<Kind>(std::find(std::begin(kKinds), std::end(kKinds), kind) -
                              std::begin(kKinds));
  }
  return draw_value() || changed;
}

bool CompareChoice::draw_value() {
  const float em = ImGui::GetFontSize();
  switch (kind_) {
    case Kind::fault: {
      std::vector<std::string> names = {""};
      for (const Fault& fault : faults()) names.emplace_back(fault.name);
      next(15 * em);
      return combo("##fault", fault_, names, "none: the honest table", [](const std::string& name) {
        return name.empty() ? std::string() : std::string(find_fault(name).what_people_wrote);
      });
    }
    case Kind::algorithm:
      next(9 * em);
      return combo("##algorithm", algorithm_, built_in_algorithm_names(), "",
                   [](const std::string&) { return std::string(); });
    case Kind::precision: {
      next(9 * em);
      const bool stage = combo("##stage", stage_, kStages, "", explain_stage);
      next(6 * em);
      return combo("##format", format_, kFormats, "",
                   [](const std::string&) { return std::string(); }) ||
             stage;
    }
    case Kind::tiles: {
      bool changed = false;
      for (int* side : {&q_tile_, &kv_tile_}) {
        next(8 * em);
        const bool of_q = side == &q_tile_;
        int value = *side;
        if (ImGui::InputInt(of_q ? "##q tile" : "##kv tile", &value, 1, 16,
                            ImGuiInputTextFlags_EnterReturnsTrue) ||
            (ImGui::IsItemDeactivatedAfterEdit() && value != *side)) {
          *side = std::clamp(value, 1, kLargestTile);
          changed = true;
        }
        ImGui::SetItemTooltip("%s", of_q ? "rows of a q tile" : "rows of a kv tile");
      }
      return changed;
    }
    case Kind::kv_order:
      next(9 * em);
      return combo("##order", order_, kOrders, "",
                   [](const std::string&) { return std::string(); });
  }
  return false;
}

ProblemOptions CompareChoice::options(const Context& context) const {
  ProblemOptions options = context.options;
  const Tiling& tiling = context.program().tiling();
  // The very tiles of A, also where A's were chosen for it.
  options.q_tile = tiling.q_tile_rows;
  options.kv_tile = tiling.kv_tile_rows;
  switch (kind_) {
    case Kind::fault:
      options.fault = fault_.empty() ? std::nullopt : std::optional(fault_);
      break;
    case Kind::algorithm: {
      options.algorithm = algorithm_;
      // What belongs to A's table.
      options.table.reset();
      options.fault.reset();
      const Algorithm algorithm = load_algorithm(algorithm_);
      if (!algorithm.has_splits()) options.splits.reset();
      if (!algorithm.has_threshold()) options.rescale_threshold.reset();
      for (const Phase& phase : algorithm.phases) {
        if (phase.kv_order) options.kv_order = "ascending";
      }
      break;
    }
    case Kind::precision:
      if (stage_ == "dtype") {
        options.dtype = format_;
      } else {
        const std::string item = fmt::format("{}={}", stage_, format_);
        options.precision = options.precision ? *options.precision + "," + item : item;
      }
      break;
    case Kind::tiles:
      options.q_tile = q_tile_;
      options.kv_tile = kv_tile_;
      break;
    case Kind::kv_order:
      options.kv_order = order_;
      break;
  }
  return options;
}

std::string CompareChoice::text() const {
  switch (kind_) {
    case Kind::fault:
      return fault_.empty() ? "without a fault" : "with fault " + fault_;
    case Kind::algorithm:
      return algorithm_;
    case Kind::precision:
      return fmt::format("with {} in {}", stage_, format_);
    case Kind::tiles:
      return fmt::format("with q tiles of {} and kv tiles of {} rows", q_tile_, kv_tile_);
    case Kind::kv_order:
      return order_ + " kv tiles";
  }
  return "";
}

}  // namespace flashscope::window
