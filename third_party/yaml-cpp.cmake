# SPDX-License-Identifier: Apache-2.0
# yaml-cpp, 0.7 or later: reads run configurations, with line and column of every node for error messages.
# From the system: libyaml-cpp-dev. Releases before 0.8 name the target without a namespace.
find_package(yaml-cpp 0.7 REQUIRED)
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
  set_target_properties(yaml-cpp PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${YAML_CPP_INCLUDE_DIR}")
endif()
