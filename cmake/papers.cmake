# SPDX-License-Identifier: Apache-2.0
# Documents in every package: the licences, and the list of components (CycloneDX). Both are generated from
# third_party/libraries.json, with the versions found by this build.
find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter)

set(table ${PROJECT_SOURCE_DIR}/third_party/libraries.json)
set(writer ${PROJECT_SOURCE_DIR}/tools/release/third_party.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table} ${writer})

file(READ ${table} libraries)
string(JSON count LENGTH "${libraries}" libraries)
math(EXPR last "${count} - 1")
set(found "{}")
foreach(index RANGE ${last})
  string(JSON name GET "${libraries}" libraries ${index} name)
  string(JSON variable GET "${libraries}" libraries ${index} version)
  if(${variable})
    string(JSON found SET "${found}" "${name}" "\"${${variable}}\"")
  endif()
endforeach()

set(papers ${PROJECT_BINARY_DIR}/papers)
file(WRITE ${PROJECT_BINARY_DIR}/found_libraries.json "${found}\n")
execute_process(
  COMMAND ${Python3_EXECUTABLE} -B ${writer} papers ${PROJECT_VERSION} ${PROJECT_BINARY_DIR}/found_libraries.json ${papers}
  COMMAND_ERROR_IS_FATAL ANY)

install(FILES LICENSE THIRD_PARTY_LICENSES.md ${papers}/copyright ${papers}/strata.cdx.json DESTINATION share/doc/strata)
