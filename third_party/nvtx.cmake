# SPDX-License-Identifier: Apache-2.0
# NVTX 3, headers only (Apache 2.0 with LLVM's exception): from the wheel of CUDA's headers that torch
# requires, otherwise from the system or a CUDA toolkit. Nothing is linked: NVTX finds a tool at run time, by
# NVTX_INJECTION64_PATH.
#
# strata::nvtx exists if the headers do. Code that uses extensions (counters, memory heaps) tests for them
# with __has_include: older headers lack some.

include(torch_root)
find_path(STRATA_NVTX_INCLUDE nvtx3/nvToolsExt.h
  PATHS ${torch_root}/../nvidia/cu13/include ${torch_root}/../nvidia/nvtx/include
  NO_CACHE NO_DEFAULT_PATH)
find_path(STRATA_NVTX_INCLUDE nvtx3/nvToolsExt.h PATHS /usr/local/cuda/include NO_CACHE)
if(STRATA_NVTX_INCLUDE)
  cmake_path(NORMAL_PATH STRATA_NVTX_INCLUDE)
  file(STRINGS ${STRATA_NVTX_INCLUDE}/nvtx3/nvToolsExt.h nvtx_version REGEX "define NVTX_VERSION [0-9]")
  string(REGEX REPLACE "[^0-9]" "" nvtx_version "${nvtx_version}")
  add_library(strata::nvtx INTERFACE IMPORTED GLOBAL)
  target_include_directories(strata::nvtx SYSTEM INTERFACE ${STRATA_NVTX_INCLUDE})
  target_link_libraries(strata::nvtx INTERFACE ${CMAKE_DL_LIBS})
else()
  message(STATUS "No nvtx_markers: no nvtx3/nvToolsExt.h beside torch or on this system")
endif()
