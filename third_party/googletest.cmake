# SPDX-License-Identifier: Apache-2.0
# GoogleTest, 1.11 or later: the tests written in C++. From the system: libgtest-dev.
if(BUILD_TESTING)
  find_package(GTest 1.11 REQUIRED)
endif()
