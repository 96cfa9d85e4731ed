# SPDX-License-Identifier: Apache-2.0
# strata_add_source(TARGET NAME SOURCES FILE...): a source of events, as lib/strata/sources/NAME.so. It is loaded
# like a plugin and linked like one; unlike a plugin it may link what it observes.
function(strata_add_source target name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES")
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "strata_add_source(${target} ${name} SOURCES <file>...): got '${ARGN}'")
  endif()
  add_library(${target} MODULE ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE strata::plugin_api)
  strata_export_entry_only(${target})
  strata_warnings(${target})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/strata/sources)
  install(TARGETS ${target} LIBRARY DESTINATION lib/strata/sources)
endfunction()
