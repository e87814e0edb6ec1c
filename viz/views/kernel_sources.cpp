// The embedded files; see kernel_sources.h.
#include "viz/views/kernel_sources.h"

#include <array>

// The assembler copies a file into the read-only data of this object file.
// FLASHSCOPE_KERNEL_FOLDER comes from the build.
#define FLASHSCOPE_EMBED_KERNEL(name)                                                             \
  __asm__(                                                                                        \
      ".section .rodata\n"                                                                        \
      "flashscope_kernel_" #name                                                                  \
      ":\n"                                                                                       \
      ".incbin \"" FLASHSCOPE_KERNEL_FOLDER "/" #name                                             \
      ".cuh\"\n"                                                                                  \
      "flashscope_kernel_" #name                                                                  \
      "_end:\n"                                                                                   \
      ".previous\n");                                                                             \
  extern "C" const char flashscope_kernel_##name[];                                               \
  extern "C" const char flashscope_kernel_##name##_end[];                                         \
  static std::string_view text_of_##name() {                                                      \
    return {flashscope_kernel_##name,                                                             \
            static_cast<std::size_t>(flashscope_kernel_##name##_end - flashscope_kernel_##name)}; \
  }

FLASHSCOPE_EMBED_KERNEL(standard)
FLASHSCOPE_EMBED_KERNEL(fa1)
FLASHSCOPE_EMBED_KERNEL(fa2)
FLASHSCOPE_EMBED_KERNEL(split_kv)

namespace flashscope::views {

std::span<const KernelSource> kernel_sources() {
  static const std::array kSources = {
      KernelSource{"standard", text_of_standard()}, KernelSource{"fa1", text_of_fa1()},
      KernelSource{"fa2", text_of_fa2()}, KernelSource{"split_kv", text_of_split_kv()}};
  return kSources;
}

}  // namespace flashscope::views
