// The command palette: every action by typing part of its title.
#pragma once

#include <string>
#include <vector>

namespace flashscope::window {

class App;
struct Command;

// Commands whose title or group holds the letters of `text` in order, best first: whole words
// before scattered letters. An empty text gives all.
std::vector<const Command*> matching_commands(const std::string& text);

class Palette {
 public:
  void open() { wanted_ = true; }
  bool is_open() const { return is_open_; }
  void draw(App& app);

 private:
  bool wanted_ = false, is_open_ = false;
  std::string text_;
  int chosen_ = 0;
};

}  // namespace flashscope::window
