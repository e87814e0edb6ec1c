// See dialogs.h.
#include "viz/window/dialogs.h"

#include <algorithm>
#include <filesystem>
#include <imgui.h>

#include <fmt/format.h>

#include "sim/error.h"
#include "viz/window/app.h"
#include "viz/window/text_input.h"

namespace flashscope::window {
namespace {

namespace fs = std::filesystem;

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
      if (std::toupper(static_cast<unsigned char>(stem[n])) == kTensorNames[t][0]) {
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
    for (const char* known : {".json", ".alg", ".npy", ".npz", ".safetensors", ".md"}) {
      if (extension == known) files.push_back(name);
    }
  }
  std::ranges::sort(folders);
  std::ranges::sort(files);
  folders.insert(folders.end(), files.begin(), files.end());
  return folders;
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
  if (shown_ == Kind::tensors) {
    tensors_ = {};
    unnamed_.clear();
  }
  shown_ = Kind::none;
}

void Dialogs::draw(App& app) {
  constexpr const char* kPopup = "###dialog";
  static constexpr const char* kTitles[] = {"",
                                            "",
                                            "Open",
                                            "Save the session",
                                            "Go to",
                                            "Export",
                                            "Keys",
                                            "Dropped tensors",
                                            "Which tensors"};
  if (wanted_ != Kind::none) {
    shown_ = wanted_;
    wanted_ = Kind::none;
    error_.clear();
    folder_.clear();
    ImGui::OpenPopup(kPopup);
  }
  if (shown_ == Kind::none) return;
  const char* title = shown_ == Kind::message ? title_.c_str() : kTitles[static_cast<int>(shown_)];
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
  // The Enter that led to the message doesn't take it away.
  const bool enter = !ImGui::IsWindowAppearing() && ImGui::IsKeyPressed(ImGuiKey_Enter, false);
  if (ImGui::Button("OK") || enter) close();
}

void Dialogs::draw_files(App& app, bool saving) {
  const fs::path typed(path_);
  std::error_code no_such;  // or no right to look, or a name that is too long
  const fs::path folder = fs::is_directory(typed, no_such)
                              ? typed
                              : (typed.has_parent_path() ? typed.parent_path() : ".");
  if (folder_ != folder.string()) {
    folder_ = folder.string();
    files_ = list_folder(folder);
  }
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * 30);
  const bool entered = input_text(
      "##path", saving ? "session.json" : "session.json, table.alg, tensors.safetensors, lesson.md",
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
  wrapped_text(app.context().theme.bad, error_);
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

}  // namespace flashscope::window
