// What the window asks for and tells in boxes: messages, files to open and save, a place to go to,
// a range to export, which dropped tensor is which.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace flashscope::window {

class App;

inline constexpr std::array kTensorNames = {"Q", "K", "V"};

class Dialogs {
 public:
  void show_message(const std::string& title, const std::string& text);
  void ask_open();
  void ask_save();
  void ask_go_to();
  void ask_export(std::int64_t op, std::int64_t last, int panel);
  void show_keys();
  // Files that hold one tensor each; asked about until Q, K and V are named.
  void add_tensors(const std::vector<std::string>& paths);
  // Several problems in one .safetensors file.
  void choose_prefix(const std::string& path, const std::vector<std::string>& prefixes);

  void draw(App& app);
  bool is_open() const { return shown_ != Kind::none || wanted_ != Kind::none; }
  const std::string& message() const { return text_; }  // of the last message
  // Why what was asked for in the open dialog did not work; "" when it did.
  const std::string& error() const { return error_; }

 private:
  enum class Kind : std::uint8_t {
    none,
    message,
    open,
    save,
    go_to,
    frames,
    keys,
    tensors,
    prefix
  };
  void draw_message(App& app);
  void draw_files(App& app, bool saving);
  void draw_go_to(App& app);
  void draw_frames(App& app);
  void draw_keys();
  void draw_tensors(App& app);
  void draw_prefix(App& app);
  void close();

  Kind wanted_ = Kind::none, shown_ = Kind::none;
  std::string title_, text_;
  std::string path_ = "session.json";
  std::string folder_;  // of the listing in files_
  std::vector<std::string> files_;
  std::string place_;
  std::int64_t first_ = 0, last_ = 0;
  int frames_per_op_ = 12, panel_ = -1;
  std::string frames_folder_ = "frames";
  std::string error_;
  std::array<std::string, 3> tensors_;  // files of Q, K, V
  std::vector<std::string> unnamed_;    // tensors dropped, not yet named
  std::vector<std::string> prefixes_;
};

}  // namespace flashscope::window
