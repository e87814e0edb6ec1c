// The one exception for a mistake of the user: bad input, an impossible option, a file that can't
// be read. The message is one line that says what is wrong, where, and what to do; main() prints it
// and exits with code 2. A broken invariant of our own is an assert, never an Error.
#pragma once

#include <stdexcept>

namespace flashscope {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace flashscope
