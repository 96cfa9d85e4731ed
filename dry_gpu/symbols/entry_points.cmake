# SPDX-License-Identifier: Apache-2.0
# Writes TABLE, the driver's functions by name and version with their addresses, from VERSIONS (driver_versions.txt).
#
#   cmake -DVERSIONS=... -DTABLE=... -P entry_points.cmake

file(STRINGS ${VERSIONS} lines REGEX "^[^#]")
set(declarations "")
set(rows "")
foreach(line IN LISTS lines)
  string(REPLACE " " ";" parts "${line}")
  list(GET parts 0 name)
  list(GET parts 1 version)
  list(GET parts 2 symbol)
  string(APPEND declarations "extern \"C\" int ${symbol}();\n")
  string(APPEND rows "    {\"${name}\", ${version}, &${symbol}},\n")
endforeach()
file(WRITE ${TABLE} "// Written by symbols/entry_points.cmake from ${VERSIONS}.
#include \"dry_gpu/driver/entry_points.hpp\"

${declarations}
namespace strata::dry_gpu {

const std::initializer_list<EntryPoint>& entry_points() {
  static const std::initializer_list<EntryPoint> all = {
${rows}  };
  return all;
}

}  // namespace strata::dry_gpu
")
