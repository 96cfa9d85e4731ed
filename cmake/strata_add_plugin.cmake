# SPDX-License-Identifier: Apache-2.0
# strata_add_plugin(NAME [NOT_INSTALLED] SOURCES FILE...): a plugin, as lib/strata/plugins/NAME.so.
#
# It links only strata::plugin_api, is never unmapped once loaded, leaves no symbol unresolved, and exports
# strata_plugin_entry and nothing else; otherwise the build fails. (Hidden visibility alone is not enough:
# instances of standard templates keep their default visibility.)
#
# Part of the installed package, so that a plugin outside this tree is built the same way.

set(STRATA_PLUGIN_CMAKE_DIR ${CMAKE_CURRENT_LIST_DIR})

function(strata_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NOT_INSTALLED" "" "SOURCES")
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "strata_add_plugin(${name} SOURCES <file>...): got '${ARGN}'")
  endif()
  add_library(${name} MODULE ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE strata::plugin_api)
  strata_export_entry_only(${name})
  set_target_properties(${name} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/strata/plugins)
  if(COMMAND strata_warnings)
    strata_warnings(${name})
  endif()
  if(NOT arg_NOT_INSTALLED)
    install(TARGETS ${name} LIBRARY DESTINATION lib/strata/plugins)
  endif()
endfunction()

# The link settings of every module that the runtime loads, plugins and sources alike.
function(strata_export_entry_only target)
  set(exports ${STRATA_PLUGIN_CMAKE_DIR}/plugin_exports.map)
  set_target_properties(${target} PROPERTIES
    PREFIX ""
    SUFFIX ".so"
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    LINK_DEPENDS ${exports})
  target_link_options(${target} PRIVATE LINKER:-z,nodelete LINKER:--version-script=${exports})
  if(NOT STRATA_FUZZ)  # as in compiler.cmake
    target_link_options(${target} PRIVATE LINKER:-z,defs)
  endif()
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DMODULE=$<TARGET_FILE:${target}>
            -P ${STRATA_PLUGIN_CMAKE_DIR}/check_plugin_exports.cmake
    VERBATIM)
endfunction()
