// Problem options by name, with their value as text, as on the command line.
#pragma once

#include <string>
#include <string_view>

#include "sim/setup/problem_options.h"

namespace flashscope::lessons {

// "q-len", with or without dashes in front. Throws Error for an unknown one, with the nearest, and
// for those that name files.
const ProblemOption& find_option(std::string_view name);

// A flag takes "true" and "false". Throws Error for a value that is none.
void set_option(ProblemOptions& options, std::string_view name, const std::string& value);

// The option as another set of options has it.
void copy_option(ProblemOptions& to, const ProblemOptions& from, std::string_view name);

}  // namespace flashscope::lessons
