# flashscope_embed_lessons(TARGET FILES...): adds course_files() of lessons/engine/course.h to the
# target. The assembler copies each file into read-only data, which the compiler does not see as an
# include. May be called without files.
function(flashscope_embed_lessons target)
  set(assembly "")
  set(declarations "")
  set(entries "")
  set(index 0)
  foreach(file IN LISTS ARGN)
    cmake_path(GET file FILENAME name)
    set(symbol flashscope_lesson_${index})
    string(APPEND assembly "    \"${symbol}:\\n.incbin \\\"${file}\\\"\\n${symbol}_end:\\n\"\n")
    string(APPEND declarations "extern const char ${symbol}[], ${symbol}_end[];\n")
    string(APPEND entries "      {\"${name}\", text(${symbol}, ${symbol}_end)},\n")
    math(EXPR index "${index} + 1")
  endforeach()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/course_files.cpp)
  file(
    CONFIGURE
    OUTPUT ${output}
    CONTENT
      "// Made by cmake/embed_lessons.cmake from lessons/NN-*.md.
#include <vector>

#include \"lessons/engine/course.h\"

__asm__(
    \".section .rodata\\n\"
${assembly}    \".previous\\n\");

extern \"C\" {
${declarations}}

namespace flashscope::lessons {

std::span<const CourseFile> course_files() {
  [[maybe_unused]] const auto text = [](const char* begin, const char* end) {
    return std::string_view(begin, static_cast<std::size_t>(end - begin));
  };
  static const std::vector<CourseFile> kFiles = {
${entries}  };
  return kFiles;
}

}  // namespace flashscope::lessons
"
    @ONLY)
  set_source_files_properties(${output} PROPERTIES OBJECT_DEPENDS "${ARGN}")
  target_sources(${target} PRIVATE ${output})
endfunction()
