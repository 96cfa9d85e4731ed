# find_package(strata): the targets strata::plugin_api and strata::runtime, and strata_add_plugin().
include(${CMAKE_CURRENT_LIST_DIR}/strata-targets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/strata_add_plugin.cmake)
