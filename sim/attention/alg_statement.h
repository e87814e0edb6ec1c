// Matches one statement of a table against the forms, and says which forms are nearest when none
// fits.
#pragma once

#include <string>

#include "sim/attention/alg_tokens.h"
#include "sim/attention/algorithm.h"

namespace flashscope {

// `algorithm` supplies the buffers declared so far. Checks the names, the shapes and the trailing
// `when` clause; throws Error "where:line:column: …" with the nearest forms.
Line parse_statement(const TokenLine& line, const Algorithm& algorithm, const std::string& where);

// Throws the Error of a place in a table.
[[noreturn]] void fail_at(const std::string& where, int line, int column, const std::string& what);

}  // namespace flashscope
