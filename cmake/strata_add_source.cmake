# SPDX-License-Identifier: Apache-2.0
# strata_add_source(TARGET NAME [EXCLUDE_FROM_ALL] [COMPONENT NAME] SOURCES FILE...): a source of events, as
# lib/strata/sources/NAME.so. It is loaded and linked like a plugin, but it may also link the library it
# observes.
function(strata_add_source target name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "EXCLUDE_FROM_ALL" "COMPONENT" "SOURCES")
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
  if(NOT arg_COMPONENT)
    set(arg_COMPONENT Unspecified)
  endif()
  set(install_options DESTINATION lib/strata/sources COMPONENT ${arg_COMPONENT})
  if(arg_EXCLUDE_FROM_ALL)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
    list(APPEND install_options EXCLUDE_FROM_ALL)
  endif()
  install(TARGETS ${target} LIBRARY ${install_options})
endfunction()
