# flashscope_library(NAME [LINK libraries...] [PRECOMPILE headers...]): the static library
# flashscope_NAME from the .cpp files of the current folder. LINK is public: it is the list of layers
# this folder may include. PRECOMPILE names third-party headers that most of its files include.
function(flashscope_library name)
  cmake_parse_arguments(ARG "" "" "LINK;PRECOMPILE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    add_library(flashscope_${name} INTERFACE)
    target_link_libraries(flashscope_${name} INTERFACE flashscope_compile_options ${ARG_LINK})
    return()
  endif()
  add_library(flashscope_${name} STATIC ${sources})
  target_link_libraries(flashscope_${name} PUBLIC flashscope_compile_options ${ARG_LINK})
  if(ARG_PRECOMPILE)
    target_precompile_headers(flashscope_${name} PRIVATE ${ARG_PRECOMPILE})
  endif()
endfunction()

# flashscope_test(NAME [LINK libraries...]): one test program from the .cpp files of tests/NAME.
function(flashscope_test name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(test_${name} ${CMAKE_CURRENT_SOURCE_DIR}/test_main.cpp ${sources})
  target_link_libraries(test_${name} PRIVATE flashscope_compile_options doctest::doctest ${ARG_LINK})
  target_compile_definitions(test_${name}
                             PRIVATE FLASHSCOPE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND test_${name})
endfunction()
