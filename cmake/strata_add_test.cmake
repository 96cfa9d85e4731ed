# SPDX-License-Identifier: Apache-2.0
# strata_add_test(NAME SOURCES FILE... LIBRARIES TARGET... [LABELS LABEL...]): a GoogleTest executable, run by
# CTest as one test. Labels: `long` tests run only with `./dev test --all`; `gpu` tests need a GPU and skip
# without one. CTest reports the executable as skipped if every test in it was skipped.
function(strata_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES;LABELS")
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR
      "strata_add_test(${name} SOURCES <file>... LIBRARIES <target>... [LABELS <label>...]): got '${ARGN}'")
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gtest_main)
  strata_warnings(${name})
  # Tests are not measured: optimizing them would double their build time.
  target_compile_options(${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O0>)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_BINARY_DIR})
  set_tests_properties(${name} PROPERTIES
    LABELS "${arg_LABELS}"
    TIMEOUT 1200
    SKIP_REGULAR_EXPRESSION "\\[  PASSED  \\] 0 tests")
endfunction()

# strata_test_paths(NAME DEFINITION=PATH...): files that a test reads, as definitions. They are relative to
# the build folder, in which tests run: with absolute paths ccache could not reuse the tests of another clone.
function(strata_test_paths name)
  foreach(definition IN LISTS ARGN)
    string(REGEX MATCH "^([A-Z_]+)=(.+)$" matched "${definition}")
    if(NOT matched)
      message(FATAL_ERROR "strata_test_paths(${name} DEFINITION=PATH...): got '${definition}'")
    endif()
    target_compile_definitions(${name} PRIVATE
      "${CMAKE_MATCH_1}=\"$<PATH:RELATIVE_PATH,${CMAKE_MATCH_2},${PROJECT_BINARY_DIR}>\"")
  endforeach()
endfunction()
