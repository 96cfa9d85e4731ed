# SPDX-License-Identifier: Apache-2.0
# CUDA's headers from PyPI's wheels: those that torch requires, and nvidia-cuda-crt's and nvidia-cuda-cccl's,
# which they include. dry_gpu/ implements what they declare. No toolkit is needed, and none of CUDA's
# libraries is linked.
#
# strata::cuda_headers exists if torch's wheel has the headers next to it; a CPU-only LibTorch does not.

include(torch_root)
set(nvidia_root ${torch_root}/../nvidia)
cmake_path(NORMAL_PATH nvidia_root)
file(GLOB cuda_include_folders ${nvidia_root}/*/include)
set(STRATA_HAS_CUDA_HEADERS OFF)
set(has_all ON)
foreach(header cu13/include/cuda_runtime_api.h cu13/include/crt/host_defines.h cu13/include/nv/target
    cudnn/include/cudnn.h)
  if(NOT EXISTS ${nvidia_root}/${header})
    message(STATUS "No dry GPU: ${nvidia_root} has no ${header}")
    set(has_all OFF)
  endif()
endforeach()
if(has_all)
  set(STRATA_HAS_CUDA_HEADERS ON)
  file(STRINGS ${nvidia_root}/cu13/include/cuda_runtime_api.h cuda_version REGEX "define CUDART_VERSION")
  string(REGEX REPLACE "[^0-9]" "" cuda_version "${cuda_version}")  # 13020 is 13.2
  math(EXPR cuda_minor "${cuda_version} / 10 % 100")
  math(EXPR cuda_version "${cuda_version} / 1000")
  string(APPEND cuda_version .${cuda_minor})
  add_library(strata::cuda_headers INTERFACE IMPORTED GLOBAL)
  target_include_directories(strata::cuda_headers SYSTEM INTERFACE ${cuda_include_folders})
  if(EXISTS ${nvidia_root}/nccl/include/nccl.h AND EXISTS ${torch_root}/lib/libtorch_cuda.so)
    file(STRINGS ${nvidia_root}/nccl/include/nccl.h nccl_version REGEX "define NCCL_(MAJOR|MINOR|PATCH) ")
    string(REGEX REPLACE "[^0-9;]" "" nccl_version "${nccl_version}")
    list(JOIN nccl_version . nccl_version)
    # With CUDA's half of torch, which contains NCCL's: both exist or neither.
    add_library(strata::torch_cuda INTERFACE IMPORTED GLOBAL)
    target_link_libraries(strata::torch_cuda INTERFACE
      strata::cuda_headers ${torch_root}/lib/libtorch_cuda.so ${torch_root}/lib/libc10_cuda.so)
  endif()
  if(EXISTS ${torch_root}/lib/libc10_cuda.so)
    # Only CUDA's caching allocator, which needs nothing else from torch: the replay opens it.
    add_library(strata::c10_cuda INTERFACE IMPORTED GLOBAL)
    target_include_directories(strata::c10_cuda SYSTEM INTERFACE ${torch_root}/include)
    target_compile_definitions(strata::c10_cuda INTERFACE NDEBUG)  # as in torch.cmake
    target_link_libraries(strata::c10_cuda INTERFACE
      strata::cuda_headers ${torch_root}/lib/libc10_cuda.so ${torch_root}/lib/libc10.so)
  endif()
  set(STRATA_REAL_CUDART ${nvidia_root}/cu13/lib/libcudart.so.13)  # for a test that compares ours with it
  set(STRATA_REAL_CUPTI ${nvidia_root}/cu13/lib/libcupti.so.13)    # for a test that uses its iteration over records
  set(STRATA_REAL_NCCL ${nvidia_root}/nccl/lib/libnccl.so.2)       # for a test that compares ours with it
endif()
