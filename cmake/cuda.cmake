# The CUDA compiler, which is optional, and the flags of .cu files. Sets FLASHSCOPE_HAS_CUDA; when
# it is OFF, FLASHSCOPE_NO_CUDA_REASON says why, and gpu/ builds without kernels.

set(FLASHSCOPE_CUDA AUTO CACHE STRING "Build the CUDA kernels: AUTO (when nvcc is found), ON or OFF")
set_property(CACHE FLASHSCOPE_CUDA PROPERTY STRINGS AUTO ON OFF)
set(FLASHSCOPE_CUDA_TARGETS "sm_80;sm_90a;compute_80"
    CACHE STRING "What kernels are compiled for: sm_X is machine code, compute_X is PTX")
set(oldest_cuda 12.4)

# Line numbers for profilers, warnings as errors, code for every target, and a fifth of its size.
add_library(flashscope_cuda_options INTERFACE)
target_include_directories(flashscope_cuda_options INTERFACE ${CMAKE_SOURCE_DIR})
set(cuda_flags -lineinfo -Xcompiler=-Wall,-Wextra -Werror=all-warnings -Xfatbin=-compress-all)
foreach(target IN LISTS FLASHSCOPE_CUDA_TARGETS)
  if(NOT target MATCHES "^(sm|compute)_[0-9]+[af]?$")
    message(FATAL_ERROR "FLASHSCOPE_CUDA_TARGETS has '${target}': write sm_90a or compute_80")
  endif()
  string(REGEX REPLACE "^sm_" "compute_" virtual ${target})
  list(APPEND cuda_flags -gencode=arch=${virtual},code=${target})
endforeach()
target_compile_options(flashscope_cuda_options INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:${cuda_flags}>)

macro(flashscope_no_cuda reason)
  if(FLASHSCOPE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "FLASHSCOPE_CUDA is ON, but ${reason}")
  endif()
  set(FLASHSCOPE_HAS_CUDA OFF)
  set(FLASHSCOPE_NO_CUDA_REASON "${reason}") # becomes a macro of C++: no semicolons, no quotes
  message(STATUS "CUDA kernels: not built, ${reason}")
endmacro()

if(NOT FLASHSCOPE_CUDA)
  flashscope_no_cuda("FLASHSCOPE_CUDA is OFF, configure with -DFLASHSCOPE_CUDA=ON")
  return()
elseif(FLASHSCOPE_SANITIZE OR FLASHSCOPE_FUZZ)
  flashscope_no_cuda("the sanitizers do not go together with nvcc, use the release preset")
  return()
endif()

if(NOT DEFINED ENV{CUDACXX})
  find_program(FLASHSCOPE_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda
               PATH_SUFFIXES bin DOC "The CUDA compiler")
  mark_as_advanced(FLASHSCOPE_NVCC)
  if(FLASHSCOPE_NVCC)
    set(ENV{CUDACXX} ${FLASHSCOPE_NVCC})
  endif()
endif()
# Set by -gencode above.
set(CMAKE_CUDA_ARCHITECTURES OFF)
if(NOT DEFINED CMAKE_CUDA_HOST_COMPILER AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  flashscope_no_cuda("no CUDA compiler works here, install the CUDA toolkit ${oldest_cuda} or newer, \
or name its nvcc in CUDACXX, and configure again")
  return()
endif()
enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS oldest_cuda)
  flashscope_no_cuda("${CMAKE_CUDA_COMPILER} is of CUDA ${CMAKE_CUDA_COMPILER_VERSION}, \
install ${oldest_cuda} or newer")
  return()
endif()
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION) # CMake 3.25 does not know that nvcc has C++20
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
find_package(CUDAToolkit REQUIRED)
set(FLASHSCOPE_HAS_CUDA ON)
list(JOIN FLASHSCOPE_CUDA_TARGETS " " targets)
message(STATUS "CUDA kernels: by CUDA ${CMAKE_CUDA_COMPILER_VERSION} for ${targets}")
