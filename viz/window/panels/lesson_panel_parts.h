// The parts of the lesson panel: the list of lessons, and the blocks that are more than text.
#pragma once

#include "viz/window/lesson_player.h"
#include "viz/window/panel.h"

namespace flashscope::window {

// The course and what the reader has taken of it.
void draw_course(const LessonPlayer& player, const Theme& theme, Requests& requests);

// Blocks of the lesson that is open, by their place in it.
void draw_scenario(const LessonPlayer& player, std::size_t block, const Context& context,
                   Requests& requests);
void draw_stop(const LessonPlayer& player, std::size_t block, const Context& context,
               Requests& requests);
void draw_quiz(const LessonPlayer& player, std::size_t block, const Context& context,
               Requests& requests);
void draw_task(const LessonPlayer& player, std::size_t block, const Context& context,
               Requests& requests);

// A button whose text wraps, over the width there is. `id` names it: "##stop 12".
bool text_button(const std::string& id, const std::string& text, const Theme& theme,
                 ImU32 mark = 0);

inline LessonRequest lesson_request(LessonRequest::Kind kind, std::size_t block,
                                    std::size_t number = 0) {
  return {kind, block, number, ""};
}

}  // namespace flashscope::window
