# SPDX-License-Identifier: Apache-2.0
# strata_warnings(TARGET): the warnings for our code. Every target of ours calls it, directly or through one
# of the strata_add_* helpers. They are errors with CI's compiler; additional warnings of another compiler
# must not stop a user's build.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^12\\.")
  set(is_compiler_of_ci ON)
else()
  set(is_compiler_of_ci OFF)
endif()
option(STRATA_WARNINGS_AS_ERRORS "Fail the build on a warning in our code" ${is_compiler_of_ci})

function(strata_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion)
  if(STRATA_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
