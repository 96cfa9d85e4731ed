# SPDX-License-Identifier: Apache-2.0
# Writes STUBS, a C++ file with a weak function for each line of TABLE; our own definition replaces it if
# there is one. The stub reports an error, or succeeds without effect if EFFECTLESS (a file of "regular
# expression  # reason") allows it.
#
#   cmake -DTABLE=... -DEFFECTLESS=... -DSTUBS=... -P stubs.cmake

# The value a stub returns, by return type: CUDA's numbers for "not supported". There is no such value for a
# pointer or a number: those functions must be implemented, or the link fails because the value is missing
# here.
set(refusal_cudaError_t 801)
set(refusal_CUresult 801)
set(refusal_cublasStatus_t 15)
set(refusal_cudnnStatus_t 3000)
set(refusal_cufftResult 16)
set(refusal_curandStatus_t 999)
set(refusal_cusolverStatus_t 9)
set(refusal_cusparseStatus_t 10)
set(refusal_ncclResult_t 5)
set(refusal_CUptiResult 27)

# The same for functions that succeed without effect: no handle, and a stream on which nothing can run.
set(no_handle_cublasStatus_t 1)
set(failed_cublasStatus_t 13)
set(no_handle_cudnnStatus_t 2000)
set(failed_cudnnStatus_t 5000)
set(no_handle_cusolverStatus_t 1)
set(failed_cusolverStatus_t 6)
set(no_handle_cusparseStatus_t 1)
set(failed_cusparseStatus_t 6)

set(patterns "")
if(EFFECTLESS)
  file(STRINGS ${EFFECTLESS} lines REGEX "^[^#]")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE " *#.*" "" pattern "${line}")
    list(APPEND patterns "^(${pattern})$")
  endforeach()
endif()
set(unused ${patterns})

file(STRINGS ${TABLE} functions REGEX "^[^#]")
set(text "// Written by symbols/stubs.cmake from ${TABLE}.\n#include \"dry_gpu/device/stub.hpp\"\n\n")
foreach(function IN LISTS functions)
  string(REPLACE " " ";" parts "${function}")
  list(GET parts 0 name)
  list(GET parts 1 type)
  if(NOT DEFINED refusal_${type})
    continue()
  endif()
  set(kind "STRATA_REFUSED(${name}, ${refusal_${type}})")
  foreach(pattern IN LISTS patterns)
    if(name MATCHES "${pattern}")
      if(name MATCHES "^cusparseLt")
        set(kind "STRATA_EFFECTLESS_ANYWHERE(${name})")
      else()
        set(kind "STRATA_EFFECTLESS(${name}, ${no_handle_${type}}, ${failed_${type}})")
      endif()
      list(REMOVE_ITEM unused "${pattern}")
    endif()
  endforeach()
  string(APPEND text "${kind}\n")
endforeach()
if(unused)
  message(FATAL_ERROR "${EFFECTLESS}: no function of ${TABLE} is meant by ${unused}")
endif()
file(WRITE ${STUBS} "${text}")
