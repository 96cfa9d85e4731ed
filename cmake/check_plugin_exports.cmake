# SPDX-License-Identifier: Apache-2.0
# cmake -DNM=<nm> -DMODULE=<file> -P check_plugin_exports.cmake
# Fails unless MODULE exports strata_plugin_entry and nothing else.
execute_process(
  COMMAND ${NM} --dynamic --defined-only --format=posix ${MODULE}
  OUTPUT_VARIABLE listing
  COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" lines "${listing}")
list(TRANSFORM lines REPLACE " .*" "" OUTPUT_VARIABLE symbols)
if(NOT symbols STREQUAL "strata_plugin_entry")
  list(JOIN symbols ", " found)
  message(FATAL_ERROR
    "${MODULE}: must export strata_plugin_entry and nothing else, but exports: '${found}'. "
    "Declare the entry with STRATA_EXPORT and define it in exactly one file.")
endif()
