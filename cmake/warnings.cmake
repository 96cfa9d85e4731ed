# strata_warnings(TARGET): the warnings our code is held to. Every target of ours calls it, directly or
# through one of the strata_add_* helpers.
function(strata_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion)
  if(STRATA_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
