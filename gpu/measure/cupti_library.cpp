// See cupti_library.h.
#include "gpu/measure/cupti_library.h"

#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/io/message_text.h"

namespace flashscope::gpu {
namespace {

std::vector<std::string> places() {
  if (const char* const given = std::getenv("CUPTI_LIBRARY")) return {given};
  const std::string name = fmt::format("libcupti.so.{}", CUDA_VERSION / 1000);
  std::vector<std::string> result = {name, "libcupti.so"};
  for (const std::string root : {"/usr/local/cuda", "/opt/cuda"}) {
    for (const std::string folder : {"/extras/CUPTI/lib64/", "/lib64/", "/lib/"}) {
      result.push_back(root + folder + name);
    }
  }
  return result;
}

}  // namespace

std::string CuptiLibrary::load() {
  void* library = nullptr;
  const std::vector<std::string> tried = places();
  for (std::size_t i = 0; i < tried.size() && library == nullptr; ++i) {
    library = dlopen(tried[i].c_str(), RTLD_LAZY | RTLD_LOCAL);
  }
  if (library == nullptr) {
    return fmt::format("{} cannot be loaded; set CUPTI_LIBRARY to the path of libcupti.so",
                       io::printable(tried.front()));
  }
  const char* missing = nullptr;
#define FLASHSCOPE_FIND(name)                                     \
  name = reinterpret_cast<decltype(name)>(dlsym(library, #name)); \
  if (name == nullptr && missing == nullptr) missing = #name;
  FLASHSCOPE_CUPTI_FUNCTIONS(FLASHSCOPE_FIND)
#undef FLASHSCOPE_FIND
  if (missing != nullptr) {
    return fmt::format("this libcupti has no {}: it must be of CUDA 12.6 or newer", missing);
  }
  return "";
}

void CuptiLibrary::check(CUptiResult result, const char* what) const {
  if (result == CUPTI_SUCCESS) return;
  const char* text = nullptr;
  if (cuptiGetResultString(result, &text) != CUPTI_SUCCESS || text == nullptr) text = "unknown";
  throw Error(fmt::format("CUPTI, {}: {} ({}){}", what, text, static_cast<int>(result),
                          result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES
                              ? ": this system lets only administrators read counters"
                              : ""));
}

}  // namespace flashscope::gpu
