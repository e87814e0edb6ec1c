// The measured records that come with FlashScope (gpu/measure/records), embedded in the binary.
#pragma once

#include <string_view>

#include "sim/model/record.h"

namespace flashscope::lessons {

// "h200". Parsed on the first call. Throws Error for an unknown name, with those there are.
const Record& find_record(std::string_view name);

}  // namespace flashscope::lessons
