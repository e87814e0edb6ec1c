# Options of the build and the flags that every target of ours is compiled with.

option(FLASHSCOPE_TESTS "Build the tests" ON)
option(FLASHSCOPE_NATIVE "Compile for the processor of this machine (-march=native)" OFF)
option(FLASHSCOPE_SANITIZE "Address and undefined-behaviour sanitizers" OFF)
option(FLASHSCOPE_FUZZ "Build the libFuzzer targets (needs clang)" OFF)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_library(flashscope_compile_options INTERFACE)
target_include_directories(flashscope_compile_options INTERFACE ${CMAKE_SOURCE_DIR})
# C++ only: nvcc has its own flags (cuda.cmake), and chokes on some of these.
set(warnings -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
target_compile_options(
  flashscope_compile_options
  INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${warnings}>
            # A fused multiply-add rounds once where the tables round twice: results must not depend
            # on which expressions the compiler happens to fuse.
            $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns inside its own std::string when a literal is put in front of one (GCC bug 105651).
  target_compile_options(flashscope_compile_options
                         INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(FLASHSCOPE_NATIVE)
  target_compile_options(flashscope_compile_options
                         INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-march=native>)
endif()
if(FLASHSCOPE_SANITIZE)
  # Eigen and the tile loops are unbearably slow without any optimisation.
  target_compile_options(flashscope_compile_options INTERFACE -O1 -g -fno-omit-frame-pointer
                                                              -fsanitize=address,undefined
                                                              -fno-sanitize-recover=all)
  target_link_options(flashscope_compile_options INTERFACE -fsanitize=address,undefined)
endif()
if(FLASHSCOPE_FUZZ)
  target_compile_options(flashscope_compile_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
