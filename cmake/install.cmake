# SPDX-License-Identifier: Apache-2.0
# `cmake --install`: the content of the build tree, and the package for find_package(strata).
include(CMakePackageConfigHelpers)

set(package_targets)
if(TARGET strata_plugin_api)
  list(APPEND package_targets strata_plugin_api)
  install(DIRECTORY plugin_api/include/ plugin_api/cpp/ sources/torch/include/
    DESTINATION include FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
endif()
if(TARGET strata_runtime)
  list(APPEND package_targets strata_runtime)
  install(DIRECTORY host/runtime/include/ DESTINATION include)
endif()
# Files that link torch; a wheel has them once for each release of torch (python/CMakeLists.txt).
foreach(part strata_trainer strata_nccl strata_replay)
  if(TARGET ${part})
    install(TARGETS ${part} LIBRARY DESTINATION lib/strata COMPONENT torch)
  endif()
endforeach()
if(TARGET strata_cli)
  install(TARGETS strata_cli RUNTIME DESTINATION bin)
endif()

if(package_targets)
  install(TARGETS ${package_targets} EXPORT strata LIBRARY DESTINATION lib)
  install(EXPORT strata NAMESPACE strata:: FILE strata-targets.cmake DESTINATION lib/cmake/strata)
endif()
# Not in a folder where CMake would mistake a build tree for an installation.
configure_file(cmake/strata-config.cmake ${PROJECT_BINARY_DIR}/to_install/strata-config.cmake COPYONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/to_install/strata-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(
  FILES
    ${PROJECT_BINARY_DIR}/to_install/strata-config.cmake
    ${PROJECT_BINARY_DIR}/to_install/strata-config-version.cmake
    cmake/strata-torch.cmake
    cmake/strata_add_plugin.cmake
    cmake/check_plugin_exports.cmake
    cmake/plugin_exports.map
  DESTINATION lib/cmake/strata)

# Documentation and examples for users.
install(DIRECTORY configs/grids DESTINATION share/strata/configs)
install(DIRECTORY examples DESTINATION share/strata)
install(FILES README.md CHANGELOG.md DESTINATION share/doc/strata)
install(DIRECTORY docs/ DESTINATION share/doc/strata/docs FILES_MATCHING PATTERN "*.md" PATTERN decisions EXCLUDE
  PATTERN seeds EXCLUDE PATTERN pictures EXCLUDE)
