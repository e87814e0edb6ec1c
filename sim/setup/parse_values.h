// Values of options: formats, lists of integers, row sets. Every mistake is an Error that names the
// option and shows what is allowed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/attention/format.h"

namespace flashscope {

Format parse_format(std::string_view text, std::string_view option);

std::vector<std::string> split_list(std::string_view text, char separator);

// "1,2,-3"
std::vector<std::int64_t> parse_integers(std::string_view text, std::string_view option);

// "0", "0,3", "4-7,9": ascending, without repeats.
std::vector<std::int64_t> parse_rows(std::string_view text, std::string_view option);

}  // namespace flashscope
