# SPDX-License-Identifier: Apache-2.0
# D3 5: scales, axes, shapes and zoom of the report's page, inlined into it (250 KB). From the system:
# node-d3, which is found below /usr or unpacked below a CMAKE_PREFIX_PATH; only its d3.min.js is used.
set(STRATA_D3 "" CACHE FILEPATH "d3.min.js, version 5. Empty: the system's")

set(d3_file ${STRATA_D3})
if(NOT d3_file)
  set(d3_folders ${CMAKE_PREFIX_PATH} /usr)
  list(TRANSFORM d3_folders APPEND /share/nodejs/d3/dist)
  find_file(d3_file d3.min.js PATHS ${d3_folders} NO_DEFAULT_PATH NO_CACHE)
endif()

set(d3_version "")
if(EXISTS "${d3_file}")
  file(READ ${d3_file} d3_banner LIMIT 100)
  string(REGEX MATCH "d3js.org v(5\\.[0-9.]+)" d3_banner "${d3_banner}")
  set(d3_version ${CMAKE_MATCH_1})
endif()
if(NOT d3_version)
  message(FATAL_ERROR
    "D3 5, which the report's page is drawn with, was looked for in '${d3_file}'. Install node-d3, or name the file "
    "with -DSTRATA_D3=<d3.min.js>.")
endif()
set(d3_notice ${CMAKE_CURRENT_LIST_DIR}/licences/LICENSE-d3)  # which must accompany D3
message(STATUS "D3 ${d3_version}: ${d3_file}")
