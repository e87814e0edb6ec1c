// How a text becomes words on lines; private to the rich_text_*.cpp files.
#pragma once

#include <string>
#include <vector>

#include "viz/window/panels/rich_text.h"

namespace flashscope::window {

constexpr float kTextLineGap = 0.28f;  // times the font's size

struct TextPiece {
  std::string text;
  const lessons::Span* span = nullptr;
  float width = 0;
};
struct TextWord {
  std::vector<TextPiece> pieces;
  float width = 0;
  float space = 0;  // before it
  bool new_line = false;
};

// Code and links are not broken unless they are longer than a line of `room` pixels.
std::vector<TextWord> words_of(const lessons::Text& text, const Theme& theme, float room);
// The width that a text would like to have, on one line.
float natural_width(const lessons::Text& text, const Theme& theme);

}  // namespace flashscope::window
