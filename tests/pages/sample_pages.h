// The pages that the tests look at: walks of every algorithm, small and large, and a lesson with
// every kind of block.
#pragma once

#include <string>
#include <vector>

#include "lessons/engine/lesson.h"
#include "sim/setup/setup.h"
#include "viz/views/walker.h"

// A walk as the command sets it up.
struct SampleWalk {
  std::string name;
  flashscope::Setup setup;
  flashscope::Scenario scenario;
  flashscope::views::WalkOptions options;
  const flashscope::Program& program() const { return setup.programs.front(); }
};
SampleWalk sample_walk(const std::string& name, const flashscope::ProblemOptions& options,
                       const flashscope::views::WalkOptions& walk = {});
std::vector<SampleWalk> sample_walks();

std::string page_of(const SampleWalk& walk);

// Texts in it that would be markup, were they not escaped.
extern const char* const kSampleLesson;
flashscope::lessons::Lesson sample_lesson();
