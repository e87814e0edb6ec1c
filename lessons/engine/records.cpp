// The embedded records; see records.h.
#include "lessons/engine/records.h"

#include <string>

#include <fmt/format.h>

#include "sim/error.h"

// The assembler copies the file into the read-only data of this object file.
// FLASHSCOPE_RECORDS_FOLDER comes from the build.
__asm__(
    ".section .rodata\n"
    "flashscope_record_h200:\n"
    ".incbin \"" FLASHSCOPE_RECORDS_FOLDER
    "/h200.json\"\n"
    "flashscope_record_h200_end:\n"
    ".previous\n");

extern "C" {
extern const char flashscope_record_h200[];
extern const char flashscope_record_h200_end[];
}

namespace flashscope::lessons {

const Record& find_record(std::string_view name) {
  if (name != "h200") throw Error(fmt::format("there is no record '{}': known: h200", name));
  static const Record kH200 =
      parse_record({flashscope_record_h200,
                    static_cast<std::size_t>(flashscope_record_h200_end - flashscope_record_h200)},
                   "h200.json");
  return kH200;
}

}  // namespace flashscope::lessons
