// See dialogs.h.
#include "viz/window/dialogs.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <imgui.h>

#include "sim/error.h"
#include "viz/window/app.h"
#include "viz/window/commands.h"
#include "viz/window/text_input.h"

namespace flashscope::window {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNames[] = {"Q", "K", "V"};

// q.npy, whisper_k.npy, V-3.npy: the letter that stands alone.
std::optional<std::size_t> tensor_named_by(const std::string& path) {
  const std::string stem = fs::path(path).stem().string();
  std::optional<std::size_t> found;
  for (std::size_t n = 0; n < stem.size(); ++n) {
    const auto is_letter = [&](std::size_t at) {
      return at < stem.size() && std::isalpha(static_cast<unsigned char>(stem[at])) != 0;
    };
    if ((n > 0 && is_letter(n - 1)) || is_letter(n + 1)) continue;
    for (std::size_t t = 0; t < 3; ++t) {
      if (std::toupper(static_cast<unsigned char>(stem[n])) == kNames[t][0]) {
        if (found && *found != t) return std::nullopt;
        found = t;
      }
    }
  }
  return found;
}

// Files of a folder that the window can open, folders first (they end in /).
std::vector<std::string> list_folder(const fs::path& folder) {
  std::vector<std::string> folders = {"../"}, files;
  std::error_code failed;
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with(".")) continue;
    if (it->is_directory(failed)) {
      folders.push_back(name + "/");
      continue;
    }
    const std::string extension = it->path().extension().string();
    for (const char* known : {".json", ".alg", ".npy", ".npz", ".safetensors"}) {
      if (extension == known) files.push_back(name);
    }
  }
  std::ranges::sort(folders);
  std::ranges::sort(files);
  folders.insert(folders.end(), files.begin(), files.end());
  return folders;
}

void error_line(const App& app, const std::string& error) {
  if (error.empty()) return;
  ImGui::PushStyleColor(ImGuiCol_Text, app.context().theme.bad);
  ImGui::TextWrapped("%s", error.c_str());
  ImGui::PopStyleColor();
}

}  // namespace

void Dialogs::show_message(const std::string& title, const std::string& text) {
  title_ = title;
  text_ = text;
  wanted_ = Kind::message;
}

void Dialogs::ask_open() { wanted_ = Kind::open; }
void Dialogs::ask_save() { wanted_ = Kind::save; }
void Dialogs::ask_go_to() { wanted_ = Kind::go_to; }
void Dialogs::show_keys() { wanted_ = Kind::keys; }

void Dialogs::ask_export(std::int64_t op, std::int64_t last, int panel) {
  first_ = op;
  last_ = last;
  panel_ = panel;
  wanted_ = Kind::frames;
}

void Dialogs::add_tensors(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (const auto which = tensor_named_by(path)) {
      tensors_[*which] = path;
    } else {
      unnamed_.push_back(path);
    }
  }
  wanted_ = Kind::tensors;
}

void Dialogs::choose_prefix(const std::string& path, const std::vector<std::string>& prefixes) {
  path_ = path;
  prefixes_ = prefixes;
  wanted_ = Kind::prefix;
}

void Dialogs::close() {
  ImGui::CloseCurrentPopup();
  shown_ = Kind::none;
}

void Dialogs::draw(App& app) {
  constexpr const char* kPopup = "###dialog";
  static constexpr const char* kTitles[] = {"",           "",       "Open",         "Save the session",
                                            "Go to",      "Export", "Keys",         "Dropped tensors",
                                            "Which tensors"};
  if (wanted_ != Kind::none) {
    shown_ = wanted_;
    wanted_ = Kind::none;
    error_.clear();
    folder_.clear();
    ImGui::OpenPopup(kPopup);
  }
  if (shown_ == Kind::none) return;
  const char* title =
      shown_ == Kind::message ? title_.c_str() : kTitles[static_cast<int>(shown_)];
  const float em = ImGui::GetFontSize();
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSizeConstraints({std::min(26 * em, screen.x * 0.9f), 0},
                                      {std::min(46 * em, screen.x * 0.95f), screen.y * 0.9f});
  if (!ImGui::BeginPopupModal(fmt::format("{}{}", title, kPopup).c_str(), nullptr,
                              ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoDocking)) {
    return;
  }
  switch (shown_) {
    case Kind::none:
      break;
    case Kind::message:
      draw_message(app);
      break;
    case Kind::open:
      draw_files(app, false);
      break;
    case Kind::save:
      draw_files(app, true);
      break;
    case Kind::go_to:
      draw_go_to(app);
      break;
    case Kind::frames:
      draw_frames(app);
      break;
    case Kind::keys:
      draw_keys();
      break;
    case Kind::tensors:
      draw_tensors(app);
      break;
    case Kind::prefix:
      draw_prefix(app);
      break;
  }
  if (shown_ != Kind::none && ImGui::IsKeyPressed(ImGuiKey_Escape)) close();
  ImGui::EndPopup();
}

void Dialogs::draw_message(App&) {
  ImGui::PushTextWrapPos(ImGui::GetFontSize() * 32);
  ImGui::TextUnformatted(text_.c_str());
  ImGui::PopTextWrapPos();
  ImGui::Spacing();
  if (ImGui::Button("OK") || ImGui::IsKeyPressed(ImGuiKey_Enter)) close();
}

void Dialogs::draw_files(App& app, bool saving) {
  const fs::path typed(path_);
  const fs::path folder =
      fs::is_directory(typed) ? typed : (typed.has_parent_path() ? typed.parent_path() : ".");
  if (folder_ != folder.string()) {
    folder_ = folder.string();
    files_ = list_folder(folder);
  }
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * 30);
  const bool entered =
      input_text("##path", saving ? "session.json" : "session.json, table.alg, tensors.safetensors",
                 path_, ImGuiInputTextFlags_EnterReturnsTrue);
  if (ImGui::BeginChild("##files", {ImGui::GetFontSize() * 30, ImGui::GetFontSize() * 14},
                        ImGuiChildFlags_Borders)) {
    for (const std::string& name : files_) {
      if (ImGui::Selectable(name.c_str(), false, ImGuiSelectableFlags_NoAutoClosePopups)) {
        path_ = (folder / name).lexically_normal().string();
      }
    }
  }
  ImGui::EndChild();
  error_line(app, error_);
  if (ImGui::Button(saving ? "Save" : "Open") || entered) {
    try {
      saving ? app.save(path_) : app.open(path_);
      // A dialog that opening led to stays.
      if (wanted_ == Kind::none) close();
    } catch (const Error& error) {
      error_ = error.what();
    }
  }
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) close();
}

void Dialogs::draw_go_to(App& app) {
  ImGui::TextUnformatted("An op (120), a work item (item 3), or a tile (tile 1 0)");
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * 20);
  const bool entered =
      input_text("##place", "120", place_, ImGuiInputTextFlags_EnterReturnsTrue);
  error_line(app, error_);
  if (ImGui::Button("Go") || entered) {
    error_ = app.type("goto " + place_);
    if (error_.empty()) close();
  }
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) close();
}

void Dialogs::draw_frames(App& app) {
  const float width = ImGui::GetFontSize() * 10;
  ImGui::SetNextItemWidth(width);
  ImGui::InputScalar("first op", ImGuiDataType_S64, &first_);
  ImGui::SetNextItemWidth(width);
  ImGui::InputScalar("last op", ImGuiDataType_S64, &last_);
  ImGui::SetNextItemWidth(width);
  ImGui::InputInt("frames per op", &frames_per_op_);
  ImGui::SetNextItemWidth(width * 2);
  input_text("folder", "frames", frames_folder_);
  ImGui::SetNextItemWidth(width * 2);
  const auto title = [&](int panel) {
    return panel < 0 ? "the whole window" : kPanelTitles[static_cast<std::size_t>(panel)];
  };
  if (ImGui::BeginCombo("of", title(panel_))) {
    for (int n = -1; n < static_cast<int>(kPanelTitles.size()); ++n) {
      if (n >= 0 && !app.is_open(n)) continue;
      if (ImGui::Selectable(title(n), n == panel_)) panel_ = n;
    }
    ImGui::EndCombo();
  }
  error_line(app, error_);
  if (ImGui::Button("Export")) {
    try {
      const std::int64_t size = app.document().debugger().program().size();
      if (first_ < 0 || last_ >= size) {
        throw Error(fmt::format("ops {} to {}: the program has ops 0 to {}", first_, last_, size - 1));
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
    ImGui::Text("%s  %s", kNames[t], tensors_[t].empty() ? "drop a file" : tensors_[t].c_str());
  }
  if (!unnamed_.empty()) {
    ImGui::Separator();
    ImGui::Text("Which tensor is %s?", unnamed_.front().c_str());
    for (std::size_t t = 0; t < 3; ++t) {
      if (t > 0) ImGui::SameLine();
      if (ImGui::Button(kNames[t])) {
        tensors_[t] = unnamed_.front();
        unnamed_.erase(unnamed_.begin());
        break;
      }
    }
  }
  error_line(app, error_);
  const bool whole = std::ranges::none_of(tensors_, &std::string::empty);
  ImGui::BeginDisabled(!whole);
  if (ImGui::Button("Use them") || (whole && unnamed_.empty() && error_.empty())) {
    terminal::ProblemOptions options = app.document().options().without_problem();
    options.q = tensors_[0];
    options.k = tensors_[1];
    options.v = tensors_[2];
    try {
      app.change(options);
      tensors_ = {};
      unnamed_.clear();
      close();
    } catch (const Error& error) {
      error_ = error.what();
    }
  }
  ImGui::EndDisabled();
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) {
    tensors_ = {};
    unnamed_.clear();
    close();
  }
}

void Dialogs::draw_prefix(App& app) {
  ImGui::TextUnformatted("The file holds several problems:");
  for (const std::string& prefix : prefixes_) {
    if (!ImGui::Selectable(prefix.c_str(), false, ImGuiSelectableFlags_NoAutoClosePopups)) continue;
    terminal::ProblemOptions options = app.document().options().without_problem();
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
  error_line(app, error_);
  if (ImGui::Button("Cancel")) close();
}

}  // namespace flashscope::window
