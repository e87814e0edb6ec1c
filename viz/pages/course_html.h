// What leads from one page of a course to others.
#pragma once

#include <string>
#include <vector>

#include "viz/pages/page.h"

namespace flashscope::pages {

// "Lesson 3 · 25 minutes · after lessons 1, 2"; numbers are links where the course has their page.
std::string facts_html(const lessons::Lesson& lesson, const std::vector<CoursePage>& course);

// To the lesson before, the index and the lesson behind; nothing without a course.
std::string turn_html(int lesson, const std::vector<CoursePage>& course);

}  // namespace flashscope::pages
