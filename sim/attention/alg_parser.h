// Reads the text of an .alg table into an Algorithm: declarations, phases, loops. The language is
// described, with the list of statements, in algorithms/README.md.
#pragma once

#include <string>

#include "sim/attention/algorithm.h"

namespace flashscope {

// `where` stands in front of error messages: a file name. Throws Error "where:line:column: what".
Algorithm parse_algorithm(const std::string& text, const std::string& where);

}  // namespace flashscope
