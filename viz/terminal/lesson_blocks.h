// What the blocks of a lesson look like at a terminal, once a stage has carried them out. Used by
// `lesson show`, which prints them all, and by `lesson take`, one after the other.
#pragma once

#include <string>

#include "lessons/engine/figure.h"
#include "lessons/engine/stage.h"

namespace flashscope::terminal {

// Of the open scenario, in one line.
std::string scenario_text(lessons::Stage& stage);
// The walked ops and the printed values, at the stop that the stage has entered.
std::string stop_text(const lessons::StopBlock& stop, lessons::Stage& stage);
// The question and its options, A to what there are.
std::string quiz_text(const lessons::QuizBlock& quiz, const lessons::ShownQuiz& shown);
std::string option_letter(std::size_t option);
// Everything there is to say about the options: which is right, why the others are not.
std::string quiz_answer_text(const lessons::QuizBlock& quiz, const lessons::ShownQuiz& shown);
std::string task_text(const lessons::TaskBlock& task);
// How a task is worked on at the prompt.
std::string how_to_work();
std::string hint_text(const lessons::TaskBlock& task);  // empty when there is none
// What solves it, as commands of the debug prompt.
std::string solution_text(const lessons::TaskBlock& task);
// "Right: …" and the like: a word, and a text behind it.
std::string remark(const std::string& word, const lessons::Text& text);
std::string remark(const std::string& word, const std::string& markdown);

}  // namespace flashscope::terminal
