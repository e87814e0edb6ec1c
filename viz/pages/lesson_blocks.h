// Stops, quizzes and tasks of a lesson as HTML, on a stage that has entered them.
#pragma once

#include <cstdint>
#include <string>

#include "lessons/engine/stage.h"
#include "viz/pages/player.h"
#include "viz/views/walker.h"

namespace flashscope::pages {

// "flashscope debug --causal --q-tile 2": opens a scenario at its beginning. Options at their
// defaults are left out; values are quoted for a shell where need be.
std::string debug_command(const ProblemOptions& options);

// The ops that lead to a stop, of the work item that it lies in: those of its step, or all since
// the stop before it. Needs a stage that stands behind some op.
views::WalkOptions stop_window(const lessons::StopBlock& stop, lessons::Stage& stage);

// A player that opens at the stop. `id`: unique on the page. `heading`: level of its title.
// `tables`: of the page, so far. Throws Error where the stop's rows are none of the program.
std::string stop_html(const lessons::StopBlock& stop, lessons::Stage& stage, const std::string& id,
                      int heading, TablesShown& tables);

std::string quiz_html(const lessons::QuizBlock& quiz, lessons::Stage& stage, const std::string& id);

// `lesson`: how `flashscope lesson take` names it.
std::string task_html(const lessons::TaskBlock& task, lessons::Stage& stage,
                      const std::string& lesson);

}  // namespace flashscope::pages
