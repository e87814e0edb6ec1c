// Decides by the name of the file which reader a spec is for.
#include "sim/io/read_array.h"

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/io/message_text.h"
#include "sim/io/npy.h"
#include "sim/io/npz.h"

namespace flashscope::io {

Array read_array(const std::string& spec) {
  constexpr std::string_view kNpz = ".npz";
  if (spec.ends_with(kNpz)) {
    throw Error(fmt::format("{0}: which array? write {0}:NAME; the archive has: {1}",
                            printable(spec), name_list(npz_members(spec))));
  }
  const std::size_t suffix = spec.find(".npz:");
  if (suffix == std::string::npos) return read_npy(spec);
  const std::size_t path_end = suffix + kNpz.size();
  return read_npz_member(spec.substr(0, path_end), spec.substr(path_end + 1));
}

}  // namespace flashscope::io
