# The window needs GLFW, OpenGL and Dear ImGui with its companions (docking branch, ImPlot, Test
# Engine), whose sources `./dev` fetches into third_party/. Without them everything else is built.
set(FLASHSCOPE_WINDOW "AUTO" CACHE STRING "Build the window: AUTO (if its libraries are there), ON, OFF")
set_property(CACHE FLASHSCOPE_WINDOW PROPERTY STRINGS AUTO ON OFF)

set(FLASHSCOPE_BUILD_WINDOW OFF)
# Under the sanitizers and the fuzzer only the parts of the window without a picture are built.
if(FLASHSCOPE_WINDOW STREQUAL "OFF" OR FLASHSCOPE_FUZZ OR FLASHSCOPE_SANITIZE)
  return()
endif()

set(imgui_bundle ${CMAKE_SOURCE_DIR}/third_party/imgui_bundle-1.93.0/external)
set(imgui ${imgui_bundle}/imgui/imgui)
set(implot ${imgui_bundle}/implot/implot)
set(test_engine ${imgui_bundle}/imgui_test_engine/imgui_test_engine)
set(window_misses "")
find_package(glfw3 3.3 QUIET)
find_package(OpenGL QUIET)
find_package(PNG QUIET)
if(NOT EXISTS ${CMAKE_SOURCE_DIR}/third_party/imgui_bundle-1.93.0/.complete)
  list(APPEND window_misses "third_party/imgui_bundle-1.93.0")
endif()
find_file(FLASHSCOPE_MONO_FONT DejaVuSansMono.ttf PATHS /usr/share/fonts/truetype/dejavu)
find_file(FLASHSCOPE_SYMBOL_FONT DejaVuSans.ttf PATHS /usr/share/fonts/truetype/dejavu)
if(NOT FLASHSCOPE_MONO_FONT OR NOT FLASHSCOPE_SYMBOL_FONT)
  list(APPEND window_misses "the DejaVu fonts")
endif()
if(NOT glfw3_FOUND)
  list(APPEND window_misses "GLFW 3.3")
endif()
if(NOT OpenGL_FOUND)
  list(APPEND window_misses "OpenGL")
endif()
if(NOT PNG_FOUND)
  list(APPEND window_misses "libpng")
endif()
if(window_misses)
  list(JOIN window_misses ", " window_misses)
  if(FLASHSCOPE_WINDOW STREQUAL "ON")
    message(FATAL_ERROR "the window needs ${window_misses}: `./dev view` installs and fetches them")
  endif()
  message(STATUS "no window: ${window_misses} not found")
  return()
endif()
set(FLASHSCOPE_BUILD_WINDOW ON)

# Compiled once, by their own rules: no warnings of ours, always optimised.
add_library(
  imgui STATIC
  ${imgui}/imgui.cpp
  ${imgui}/imgui_draw.cpp
  ${imgui}/imgui_tables.cpp
  ${imgui}/imgui_widgets.cpp
  ${imgui}/imgui_stacklayout.cpp
  ${imgui}/backends/imgui_impl_glfw.cpp
  ${imgui}/backends/imgui_impl_opengl3.cpp
  ${imgui}/backends/imgui_impl_null.cpp
  ${implot}/implot.cpp
  ${implot}/implot_items.cpp)
target_include_directories(imgui SYSTEM PUBLIC ${imgui} ${imgui}/backends ${implot} ${test_engine})
target_compile_definitions(imgui PUBLIC IMGUI_USER_CONFIG="${CMAKE_SOURCE_DIR}/viz/window/imgui_config.h")
target_compile_options(imgui PRIVATE -w -O2)
target_link_libraries(imgui PUBLIC glfw OpenGL::GL Threads::Threads ${CMAKE_DL_LIBS})

file(GLOB test_engine_sources ${test_engine}/imgui_test_engine/*.cpp)
add_library(imgui_test_engine STATIC ${test_engine_sources})
target_include_directories(imgui_test_engine SYSTEM PUBLIC ${test_engine}/imgui_test_engine)
target_compile_options(imgui_test_engine PRIVATE -w -O1)
target_link_libraries(imgui_test_engine PUBLIC imgui)
# The hooks that Dear ImGui calls lie in the engine, and the engine calls Dear ImGui.
target_link_libraries(imgui PUBLIC imgui_test_engine)
