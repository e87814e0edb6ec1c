# Run as a script: writes OUTPUT, a C++ file that holds the text of each .alg file in NAMES (from
# FOLDER) as a raw string, so that the tables people read are the tables that run.
set(entries "")
foreach(name IN LISTS NAMES)
  file(READ ${FOLDER}/${name}.alg text)
  string(APPEND entries "    {\"${name}\", R\"table(${text})table\"},\n")
endforeach()
file(WRITE ${OUTPUT}
     "// Made by cmake/embed_tables.cmake from algorithms/*.alg.
#include \"sim/attention/built_in_tables.h\"

#include <array>

namespace flashscope {

std::span<const BuiltInTable> built_in_tables() {
  static constexpr std::array kTables = std::to_array<BuiltInTable>({
${entries}  });
  return kTables;
}

}  // namespace flashscope
")
