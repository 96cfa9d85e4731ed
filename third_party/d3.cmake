# D3, 5.7 or a later 5: scales, axes, shapes and zoom of the report's page, inlined into it (250 KB). One file is all
# that is used. From the system: node-d3 (or that package unpacked below a CMAKE_PREFIX_PATH); else from .venv,
# where the wheel of mpld3 carries it.
set(STRATA_D3 "" CACHE FILEPATH "d3.min.js, version 5. Empty: the system's, else that in .venv")

if(NOT STRATA_D3)
  list(TRANSFORM CMAKE_PREFIX_PATH APPEND /share/nodejs/d3/dist OUTPUT_VARIABLE d3_folders)
  file(GLOB d3_wheel ${PROJECT_SOURCE_DIR}/.venv/lib/python3.*/site-packages/mpld3/js)
  find_file(d3_found NAMES d3.min.js d3.v5.min.js NO_CACHE
    PATHS ${d3_folders} /usr/share/nodejs/d3/dist ${d3_wheel}
    NO_DEFAULT_PATH)
  set(STRATA_D3 ${d3_found})
endif()
set(d3_version "")
if(EXISTS "${STRATA_D3}")
  file(READ ${STRATA_D3} d3_banner LIMIT 100)
  string(REGEX MATCH "d3js.org v(5\\.[0-9.]+)" d3_banner "${d3_banner}")
  set(d3_version ${CMAKE_MATCH_1})
endif()
if(NOT d3_version)
  message(FATAL_ERROR
    "D3 5 (d3.min.js) was looked for in '${STRATA_D3}'. Install node-d3, or `pip install --no-deps mpld3==0.5.12` "
    "into .venv, or name the file with -DSTRATA_D3=<d3.min.js>.")
endif()
message(STATUS "D3 ${d3_version}: ${STRATA_D3}")
