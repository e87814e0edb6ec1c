// Numbers as people read them, the same in every front end.
#pragma once

#include <cstdint>
#include <string>

namespace flashscope::io {

// "1,234,567".
std::string grouped(std::int64_t value);
// "1.25 GB" (10^9), three significant digits; bytes below 10,000 as they are.
std::string readable_bytes(std::int64_t bytes);
// "3.4 G", for counts.
std::string readable_count(std::int64_t count);
// Four significant digits, the way a person would write them: 1.553, 0.1353, -inf.
std::string short_number(double value);

}  // namespace flashscope::io
