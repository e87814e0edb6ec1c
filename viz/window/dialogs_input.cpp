// The dialogs that ask for a place, a range, a key or which tensor is which; see dialogs.h.
#include <algorithm>
#include <imgui.h>

#include <fmt/format.h>

#include "sim/error.h"
#include "viz/window/app.h"
#include "viz/window/commands.h"
#include "viz/window/text_input.h"

namespace flashscope::window {

void Dialogs::draw_go_to(App& app) {
  ImGui::TextUnformatted("An op (120), a work item (item 3), or a tile (tile 1 0)");
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * 20);
  const bool entered = input_text("##place", "120", place_, ImGuiInputTextFlags_EnterReturnsTrue);
  wrapped_text(app.context().theme.bad, error_);
  if (ImGui::Button("Go") || entered) {
    error_ = app.type("goto " + place_);
    if (error_.empty()) close();
  }
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) close();
}

void Dialogs::draw_frames(App& app) {
  const float width = ImGui::GetFontSize() * 16;
  const auto title = [&](int panel) {
    return panel < 0 ? "the whole window" : kPanelTitles[static_cast<std::size_t>(panel)];
  };
  const auto label = [&](const char* text) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(text);
    ImGui::SameLine(width / 2);
    ImGui::SetNextItemWidth(width);
  };
  label("first op");
  ImGui::InputScalar("##first op", ImGuiDataType_S64, &first_);
  label("last op");
  ImGui::InputScalar("##last op", ImGuiDataType_S64, &last_);
  label("frames per op");
  ImGui::InputInt("##frames per op", &frames_per_op_);
  label("of");
  if (ImGui::BeginCombo("##of", title(panel_))) {
    for (int n = -1; n < static_cast<int>(kPanelTitles.size()); ++n) {
      if (n >= 0 && !app.is_open(n)) continue;
      if (ImGui::Selectable(title(n), n == panel_)) panel_ = n;
    }
    ImGui::EndCombo();
  }
  label("into folder");
  input_text("##folder", "frames", frames_folder_);
  if (last_ >= first_ && last_ - first_ < FrameExport::kMostFrames && frames_per_op_ > 0) {
    ImGui::TextDisabled("%s",
                        fmt::format("{} PNG files", (last_ - first_ + 1) * frames_per_op_).c_str());
  }
  wrapped_text(app.context().theme.bad, error_);
  if (ImGui::Button("Export")) {
    try {
      const std::int64_t size = app.document().debugger().program().size();
      if (first_ < 0 || last_ >= size) {
        throw Error(
            fmt::format("ops {} to {}: the program has ops 0 to {}", first_, last_, size - 1));
      }
      app.start_export(FrameExport(first_, last_ + 1, frames_per_op_, panel_, frames_folder_));
      close();
    } catch (const Error& error) {
      error_ = error.what();
    }
  }
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) close();
}

void Dialogs::draw_keys() {
  if (ImGui::BeginChild("##keys", {ImGui::GetFontSize() * 32, ImGui::GetFontSize() * 30}) &&
      ImGui::BeginTable("##table", 2, ImGuiTableFlags_RowBg)) {
    for (const Command& command : commands()) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::Text("%s: %s", command.group.c_str(), command.title.c_str());
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(key_text(command).c_str());
    }
    ImGui::EndTable();
  }
  ImGui::EndChild();
  if (ImGui::Button("Close")) close();
}

void Dialogs::draw_tensors(App& app) {
  for (std::size_t t = 0; t < 3; ++t) {
    ImGui::Text("%s  %s", kTensorNames[t],
                tensors_[t].empty() ? "drop a file" : tensors_[t].c_str());
  }
  if (!unnamed_.empty()) {
    ImGui::Separator();
    ImGui::Text("Which tensor is %s?", unnamed_.front().c_str());
    for (std::size_t t = 0; t < 3; ++t) {
      if (t > 0) ImGui::SameLine();
      if (ImGui::Button(kTensorNames[t])) {
        tensors_[t] = unnamed_.front();
        unnamed_.erase(unnamed_.begin());
        break;
      }
    }
  }
  wrapped_text(app.context().theme.bad, error_);
  const bool whole = std::ranges::none_of(tensors_, &std::string::empty);
  ImGui::BeginDisabled(!whole);
  if (ImGui::Button("Use them") || (whole && unnamed_.empty() && error_.empty())) {
    ProblemOptions options = app.document().options().without_problem();
    options.q = tensors_[0];
    options.k = tensors_[1];
    options.v = tensors_[2];
    try {
      app.change(options);
      close();
    } catch (const Error& error) {
      error_ = error.what();
    }
  }
  ImGui::EndDisabled();
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) close();
}

void Dialogs::draw_prefix(App& app) {
  ImGui::TextUnformatted("The file holds several problems:");
  for (const std::string& prefix : prefixes_) {
    if (!ImGui::Selectable(prefix.c_str(), false, ImGuiSelectableFlags_NoAutoClosePopups)) continue;
    ProblemOptions options = app.document().options().without_problem();
    options.tensors = path_;
    options.prefix = prefix;
    try {
      app.change(options);
      close();
      return;
    } catch (const Error& error) {
      error_ = error.what();
    }
  }
  wrapped_text(app.context().theme.bad, error_);
  if (ImGui::Button("Cancel")) close();
}

}  // namespace flashscope::window
