// The softmax panel's bars; see softmax_panel_parts.h.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "viz/terminal/screen.h"
#include "viz/window/panels/softmax_panel_parts.h"

namespace flashscope::window {
namespace {

std::string keys_text(IndexRange keys) {
  return keys.size() == 1 ? fmt::format("key {}", keys.begin)
                          : fmt::format("keys {}–{}", keys.begin, keys.end - 1);
}

void bin_tooltip(const views::WeightBin& bin, bool adds_values) {
  if (!ImGui::BeginTooltip()) return;
  ImGui::TextUnformatted(keys_text(bin.keys).c_str());
  if (!adds_values) {
    ImGui::TextDisabled("no weight: O takes in no P V");
  } else if (bin.consumed) {
    ImGui::Text("weight so far %s", terminal::short_number(bin.here).c_str());
  } else {
    ImGui::TextDisabled("not consumed yet");
  }
  ImGui::Text("of all keys %s (fp64)", terminal::short_number(bin.truth).c_str());
  ImGui::EndTooltip();
}

}  // namespace

void SoftmaxWeights::draw(const Theme& theme, bool adds_values,
                          const views::ChainRecording& recording, std::size_t focus,
                          std::size_t steps, std::uint64_t version, ImVec2 size) {
  const float em = ImGui::GetFontSize();
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float axis = 3.2f * em, below = 1.2f * em;
  const ImVec2 low(corner.x + axis, corner.y + 0.3f * em);
  const ImVec2 high(corner.x + size.x, corner.y + size.y - below);
  const float width = high.x - low.x, height = high.y - low.y;
  ImGui::InvisibleButton("##weights", {std::max(1.0f, size.x), std::max(1.0f, size.y)});
  if (width < em || height < em) return;

  const float narrowest = std::max(2.0f, 0.15f * em);
  const auto most = static_cast<std::size_t>(width / narrowest);
  if (version != version_ || focus != focus_ || steps != steps_ || most != most_) {
    bins_ = views::weight_bins(recording, focus, steps, most);
    version_ = version;
    focus_ = focus;
    steps_ = steps;
    most_ = most;
    largest_ = 0;
    for (const views::WeightBin& bin : bins_) {
      for (const double v : {bin.here, bin.truth}) {
        if (std::isfinite(v)) largest_ = std::max(largest_, v);
      }
    }
  }
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(low, high, theme.surface);
  if (bins_.empty()) {
    draw.AddText(low + ImVec2(0.5f * em, 0.4f * em), theme.text_dim, "the row sees no key");
    return;
  }
  const double top = largest_ > 0 ? largest_ * 1.06 : 1;
  const float step = width / static_cast<float>(bins_.size());
  const float gap = step > 0.5f * em ? std::min(0.2f * step, 0.3f * em) : 0;
  const auto y_of = [&](double value) {
    return high.y - height * static_cast<float>(std::clamp(value / top, 0.0, 1.0));
  };
  const ImU32 fill = theme.tensor("P"), outline = theme.text;
  const float thin = std::max(1.0f, 0.08f * em);
  std::vector<ImVec2> steps_of_truth;
  bool undefined = false;  // some consumed key's weight
  for (std::size_t n = 0; n < bins_.size(); ++n) {
    const views::WeightBin& bin = bins_[n];
    const float left = low.x + step * static_cast<float>(n) + gap / 2;
    const float right = low.x + step * static_cast<float>(n + 1) - gap / 2;
    const bool defined = std::isfinite(bin.here);
    if (bin.consumed && defined) draw.AddRectFilled({left, y_of(bin.here)}, {right, high.y}, fill);
    undefined = undefined || (bin.consumed && !defined);
    if (gap > 0) {
      draw.AddRect({left, y_of(bin.truth)}, {right, high.y}, outline, 0, thin);
    } else {
      steps_of_truth.push_back({left, y_of(bin.truth)});
      steps_of_truth.push_back({right, y_of(bin.truth)});
    }
  }
  if (!steps_of_truth.empty()) {
    draw.AddPolyline(steps_of_truth.data(), static_cast<int>(steps_of_truth.size()), outline, thin);
  }
  draw.AddLine({low.x, high.y}, high, theme.line, thin);
  if (!adds_values || undefined) {
    const char* const why = adds_values ? "some weights are nan or infinite: not drawn"
                                        : "O takes in no P V: weights are not defined";
    const ImVec2 at = low + ImVec2(0.5f * em, 0.3f * em);
    const float wrap = std::max(4 * em, width - em);
    const ImVec2 box = ImGui::CalcTextSize(why, nullptr, false, wrap);
    draw.AddRectFilled(at, at + box, Theme::faded(theme.surface, 0.85f));
    draw.AddText(nullptr, 0, at, theme.bad, why, nullptr, wrap);
  }
  // The scale: 0, the largest weight, and the first and last key.
  const auto right_aligned = [&](const std::string& text, float right, float y) {
    draw.AddText({right - ImGui::CalcTextSize(text.c_str()).x, y}, theme.text_dim, text.c_str());
  };
  right_aligned(fmt::format("{:.2g}", largest_), low.x - 0.4f * em, y_of(largest_) - 0.2f * em);
  right_aligned("0", low.x - 0.4f * em, high.y - em);
  const IndexRange keys{bins_.front().keys.begin, bins_.back().keys.end};
  draw.AddText({low.x, high.y + 0.15f * em}, theme.text_dim,
               fmt::format("key {}", keys.begin).c_str());
  if (keys.size() > 1) {
    right_aligned(std::to_string(keys.end - 1), high.x, high.y + 0.15f * em);
  }
  if (!ImGui::IsItemHovered()) return;
  const float place = (ImGui::GetMousePos().x - low.x) / step;
  if (place < 0 || place >= static_cast<float>(bins_.size())) return;
  const auto hovered = static_cast<std::size_t>(place);
  draw.AddRectFilled({low.x + step * static_cast<float>(hovered), low.y},
                     {low.x + step * static_cast<float>(hovered + 1), high.y},
                     Theme::faded(theme.text, 0.12f));
  bin_tooltip(bins_[hovered], adds_values);
}

}  // namespace flashscope::window
