// Settings: problem, mask, schedule, precision, fault, device. Every field is an option of the
// command line with the same name; what is left empty is chosen by the program, and shown dimmed.
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "sim/attention/algorithm.h"
#include "sim/attention/faults.h"
#include "sim/scenario/whisper.h"
#include "sim/setup/setup.h"
#include "viz/window/commands.h"
#include "viz/window/panel.h"
#include "viz/window/text_input.h"

namespace flashscope::window {
namespace {

constexpr const char* kFormats[] = {"fp32", "fp16", "bf16", "e4m3"};
constexpr const char* kStages[] = {"input", "score", "probability", "accumulator", "output"};

const char* stage_tip(int stage) {
  static constexpr const char* kTips[] = {
      "Q, K and V as they are loaded", "S, each element rounded once", "P, the left operand of P V",
      "O on chip, rounded once per kv tile", "O as it is stored"};
  return kTips[stage];
}

class ControlsPanel final : public Panel {
 public:
  const char* title() const override { return "Controls"; }
  const char* summary() const override {
    return "Problem, mask, algorithm, tiling, precision, fault, device";
  }
  void draw(const Context& context, Requests& requests) override;

 private:
  void draw_problem(const Context& context);
  void draw_mask(const Context& context);
  void draw_schedule(const Context& context);
  void draw_precision(const Context& context);
  void draw_fault(const Context& context);

  // Rows of the form: a label, and a field over the rest of the line.
  void label(const char* text, const char* tip);
  bool text_field(const char* name, std::string& value, const std::string& hint);
  void optional_text(const char* name, const char* tip, std::optional<std::string>& value,
                     const char* hint);
  void optional_number(const char* name, const char* tip, std::optional<std::int64_t>& value,
                       std::int64_t in_use);
  template <typename Items>
  void choice(const char* name, const char* tip, const std::string& now, const Items& items);

  ProblemOptions options_;  // as edited in this frame
  bool changed_ = false;
  std::string chosen_;                        // of choice(): what was picked, else empty
  std::map<std::string, std::string> typed_;  // fields while they are edited
  std::string error_;
};

void ControlsPanel::label(const char* text, const char* tip) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(text);
  ImGui::SetItemTooltip("%s", tip);
  ImGui::TableNextColumn();
  ImGui::SetNextItemWidth(-1);
}

// True when another text was entered.
bool ControlsPanel::text_field(const char* name, std::string& value, const std::string& hint) {
  const std::string id = fmt::format("##{}", name);
  std::string& typed = typed_.try_emplace(name, value).first->second;
  input_text(id.c_str(), hint.c_str(), typed);
  const bool entered = ImGui::IsItemDeactivatedAfterEdit();
  if (entered && typed != value) {
    value = typed;
    return true;
  }
  if (!ImGui::IsItemActive()) typed = value;
  return false;
}

void ControlsPanel::optional_text(const char* name, const char* tip,
                                  std::optional<std::string>& value, const char* hint) {
  label(name, tip);
  std::string text = value.value_or("");
  if (!text_field(name, text, hint)) return;
  value = text.empty() ? std::nullopt : std::optional(text);
  changed_ = true;
}

void ControlsPanel::optional_number(const char* name, const char* tip,
                                    std::optional<std::int64_t>& value, std::int64_t in_use) {
  label(name, tip);
  std::string text = value ? std::to_string(*value) : "";
  if (!text_field(name, text, std::to_string(in_use))) return;
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty()) {
    value.reset();
    changed_ = true;
  } else if (failure == std::errc() && end == text.data() + text.size()) {
    value = number;
    changed_ = true;
  } else {
    error_ = fmt::format("{}: '{}' is no whole number", name, text);
  }
}

// `items`: pairs of a text and its tooltip ("" for none).
template <typename Items>
void ControlsPanel::choice(const char* name, const char* tip, const std::string& now,
                           const Items& items) {
  chosen_.clear();
  label(name, tip);
  if (!ImGui::BeginCombo(fmt::format("##{}", name).c_str(), now.c_str())) return;
  for (const auto& [text, about] : items) {
    const std::string item(text);
    if (ImGui::Selectable(item.c_str(), item == now)) chosen_ = item;
    if (!std::string_view(about).empty()) {
      ImGui::SetItemTooltip("%s", std::string(about).c_str());
    }
  }
  ImGui::EndCombo();
}

void ControlsPanel::draw_problem(const Context& context) {
  const Problem& p = context.program().problem();
  std::vector<std::pair<std::string, std::string>> items = {
      {"pencil", "4 queries, 4 keys, D 2: every number can be checked by hand"},
      {"random", "of the sizes below, drawn from a distribution"}};
  for (const WhisperProblem& w : whisper_problems()) items.emplace_back(w.name, w.summary);
  const bool random = options_.names_a_size() && options_.problem.empty() && !options_.has_input();
  std::string now = options_.problem.empty() ? (random ? "random" : "pencil") : options_.problem;
  if (options_.has_input()) now = "files";
  choice("problem", "What Q, K and V are. Drop .npy or .safetensors files to use your own.", now,
         items);
  if (!chosen_.empty() && chosen_ != now) {
    options_ = options_.without_problem();
    if (chosen_ == "random") {
      options_.q_len = 512;
      options_.q_heads = 4;
    } else {
      options_.problem = chosen_;
    }
    changed_ = true;
  }
  if (random) {
    optional_number("batch", "independent problems of the same shape", options_.batch, p.batch);
    optional_number("q-heads", "query heads; a multiple of the kv heads", options_.q_heads,
                    p.q_heads);
    optional_number("kv-heads", "head h reads kv head h / (q_heads / kv_heads): fewer is GQA",
                    options_.kv_heads, p.kv_heads);
    optional_number("q-len", "query rows N", options_.q_len, p.q_len);
    optional_number("kv-len", "keys", options_.kv_len, p.kv_len);
    optional_number("head-dim", "D, columns of Q, K and V", options_.head_dim, p.head_dim);
    optional_text("distribution", "normal, outliers, constant:X or ramp", options_.distribution,
                  "normal");
  }
  if (!options_.has_input()) {
    std::vector<std::pair<std::string, std::string>> formats;
    for (const char* format : kFormats) formats.emplace_back(format, "");
    choice("dtype", "number format of Q, K, V and O in HBM", std::string(name_of(p.dtype)),
           formats);
    if (!chosen_.empty() && chosen_ != name_of(p.dtype)) {
      options_.dtype = chosen_;
      changed_ = true;
    }
  }
}

void ControlsPanel::draw_mask(const Context& context) {
  // The decoder's tensors are causal whether or not one asks for it.
  bool causal = context.program().problem().mask.causal;
  const bool by_nature = causal && !options_.causal;
  label("causal", by_nature ? "these tensors are those of a causal model: always on"
                            : "row r sees keys up to r + kv_len − q_len (aligned bottom-right)");
  ImGui::BeginDisabled(by_nature);
  if (ImGui::Checkbox("##causal", &causal)) {
    options_.causal = causal;
    changed_ = true;
  }
  ImGui::EndDisabled();
  optional_text("window", "L,R: keys left and right of the diagonal; −1 = unbounded",
                options_.window, "none, e.g. 127,0");
  optional_text("mask", "expression over b h q k q_len kv_len; masks intersect", options_.mask,
                "none, e.g. q>=k && q-k<128");
}

void ControlsPanel::draw_schedule(const Context& context) {
  const Tiling& tiling = context.program().tiling();
  const Algorithm& algorithm = context.program().algorithm();
  static const std::vector<std::pair<std::string, std::string>> items = [] {
    std::vector<std::pair<std::string, std::string>> made;
    for (const std::string& name : built_in_algorithm_names()) {
      made.emplace_back(name, load_algorithm(name).title);
    }
    return made;
  }();
  choice("algorithm", "the table of lines that runs",
         options_.table ? "edited" : options_.algorithm, items);
  if (!chosen_.empty() && (chosen_ != options_.algorithm || options_.table)) {
    options_ = with_algorithm(options_, chosen_);
    changed_ = true;
  }
  optional_number("q-tile", "rows of a q tile (Br); empty: the best that fit the device",
                  options_.q_tile, tiling.q_tile_rows);
  optional_number("kv-tile", "keys of a kv tile (Bc); empty: the best that fit the device",
                  options_.kv_tile, tiling.kv_tile_rows);
  if (algorithm.has_splits()) {
    optional_number("splits", "parts of the keys, each on a block of its own", options_.splits,
                    tiling.splits);
  }
  const std::vector<std::pair<std::string, std::string>> orders = {
      {"ascending", "from the first key on"}, {"descending", "from the diagonal back"}};
  choice("kv-order", "in which order the kv tiles are visited", options_.kv_order, orders);
  if (!chosen_.empty() && chosen_ != options_.kv_order) {
    options_.kv_order = chosen_;
    changed_ = true;
  }
  const Problem& p = context.program().problem();
  if (p.q_heads != p.kv_heads) {
    label("pack-gqa", "the q heads of one kv head share q tiles: K and V are loaded once for all");
    changed_ |= ImGui::Checkbox("##pack-gqa", &options_.pack_gqa);
  }
  std::vector<std::pair<std::string, std::string>> all;
  for (const Device& d : devices()) all.emplace_back(d.name, d.title);
  choice("device", "whose shared memory and registers the tiles must fit",
         std::string(context.device.name), all);
  if (!chosen_.empty() && chosen_ != context.device.name) {
    options_.device = chosen_;
    changed_ = true;
  }
}

void ControlsPanel::draw_precision(const Context& context) {
  const Precision& p = context.program().precision();
  const Format now[] = {p.input, p.score, p.probability, p.accumulator, p.output};
  std::vector<std::pair<std::string, std::string>> formats;
  for (const char* format : kFormats) formats.emplace_back(format, "");
  for (int stage = 0; stage < 5; ++stage) {
    choice(kStages[stage], stage_tip(stage), std::string(name_of(now[stage])), formats);
    if (chosen_.empty() || chosen_ == name_of(now[stage])) continue;
    const std::string item = fmt::format("{}={}", kStages[stage], chosen_);
    options_.precision = options_.precision ? *options_.precision + "," + item : item;
    changed_ = true;
  }
  if (options_.precision) {
    label("", "");
    if (ImGui::Button("As the algorithm has it")) {
      options_.precision.reset();
      changed_ = true;
    }
  }
}

void ControlsPanel::draw_fault(const Context& context) {
  std::vector<std::pair<std::string, std::string>> items = {{"none", ""}};
  for (const Fault& fault : faults()) {
    if (!can_show_on(fault, context.program().problem())) continue;
    items.emplace_back(fault.name, fault.what_people_wrote);
  }
  const std::string now = options_.fault.value_or("none");
  choice("fault", "a known mistake, put into the table; those that can show on this problem", now,
         items);
  if (!chosen_.empty() && chosen_ != now) {
    options_.fault = chosen_ == "none" ? std::nullopt : std::optional(chosen_);
    changed_ = true;
  }
}

void ControlsPanel::draw(const Context& context, Requests& requests) {
  options_ = context.options;
  changed_ = false;
  const float em = ImGui::GetFontSize();
  const auto section = [&](const char* name, bool open, auto content) {
    if (!ImGui::CollapsingHeader(name, open ? ImGuiTreeNodeFlags_DefaultOpen : 0)) return;
    if (!ImGui::BeginTable(name, 2)) return;
    ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed, 6.5f * em);
    ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
    content();
    ImGui::EndTable();
  };
  section("Problem", true, [&] { draw_problem(context); });
  section("Schedule", true, [&] { draw_schedule(context); });
  section("Mask", true, [&] { draw_mask(context); });
  section("Fault", true, [&] { draw_fault(context); });
  section("Precision", false, [&] { draw_precision(context); });
  ImGui::Spacing();
  for (const char* name : {"undo", "redo"}) {
    if (ImGui::Button(name == std::string_view("undo") ? "Undo" : "Redo")) {
      requests.commands.emplace_back(name);
    }
    ImGui::SetItemTooltip("%s", key_text(find_command(name)).c_str());
    ImGui::SameLine();
  }
  ImGui::NewLine();
  wrapped_text(context.theme.bad, error_);
  if (changed_) {
    error_.clear();
    requests.settings = options_;
  }
}

}  // namespace

std::unique_ptr<Panel> make_controls_panel() { return std::make_unique<ControlsPanel>(); }

}  // namespace flashscope::window
