// The embedded files; see assets.h.
#include "viz/pages/assets.h"

// The assembler copies a file into the read-only data of this object file.
// FLASHSCOPE_PAGE_ASSETS comes from the build.
#define FLASHSCOPE_EMBED_ASSET(name, file)                                                    \
  __asm__(                                                                                    \
      ".section .rodata\n"                                                                    \
      "flashscope_page_" #name                                                                \
      ":\n"                                                                                   \
      ".incbin \"" FLASHSCOPE_PAGE_ASSETS "/" file                                            \
      "\"\n"                                                                                  \
      "flashscope_page_" #name                                                                \
      "_end:\n"                                                                               \
      ".previous\n");                                                                         \
  extern "C" const char flashscope_page_##name[];                                             \
  extern "C" const char flashscope_page_##name##_end[];                                       \
  std::string_view flashscope::pages::name() {                                                \
    return {flashscope_page_##name,                                                           \
            static_cast<std::size_t>(flashscope_page_##name##_end - flashscope_page_##name)}; \
  }

FLASHSCOPE_EMBED_ASSET(page_css, "page.css")
FLASHSCOPE_EMBED_ASSET(player_js, "player.js")
FLASHSCOPE_EMBED_ASSET(quiz_js, "quiz.js")
