# SPDX-License-Identifier: Apache-2.0
# find_package(strata COMPONENTS torch): the target strata::torch provides strata/torch/attach.hpp and your
# LibTorch, without a CUDA toolkit. Part of the installed package.
#
# LibTorch is taken from the first of these:
#   1. an earlier find_package(Torch): strata::torch links the target `torch`
#   2. the folder STRATA_TORCH_ROOT, a CMake or environment variable: a wheel's `torch`, or an unpacked LibTorch
#   3. the wheel of the python3 in PATH
#
# find_package(Torch) alone is not enough: in a CUDA wheel it requires a CUDA toolkit with nvcc, which neither
# LibTorch nor a program without its own kernels needs.

add_library(strata::torch INTERFACE IMPORTED)
target_link_libraries(strata::torch INTERFACE strata::plugin_api)

if(TARGET torch)
  target_link_libraries(strata::torch INTERFACE torch)
  return()
endif()

set(strata_torch_root ${STRATA_TORCH_ROOT})
if(NOT strata_torch_root)
  set(strata_torch_root $ENV{STRATA_TORCH_ROOT})
endif()
if(NOT strata_torch_root)
  find_program(STRATA_PYTHON python3)
  mark_as_advanced(STRATA_PYTHON)
  if(STRATA_PYTHON)
    execute_process(
      COMMAND ${STRATA_PYTHON} -c
        "import importlib.util; print(list(importlib.util.find_spec('torch').submodule_search_locations)[0])"
      OUTPUT_VARIABLE strata_torch_root OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
if(NOT EXISTS "${strata_torch_root}/lib/libtorch_cpu.so")
  set(strata_torch_problem
    "LibTorch was looked for in '${strata_torch_root}' (no lib/libtorch_cpu.so there). Name it with -DSTRATA_TORCH_ROOT=<folder>, put "
    "the python3 that has torch first in PATH, or call find_package(Torch) before find_package(strata)")
  return()
endif()

target_include_directories(strata::torch SYSTEM INTERFACE
  ${strata_torch_root}/include ${strata_torch_root}/include/torch/csrc/api/include)
target_compile_features(strata::torch INTERFACE cxx_std_17)
# libstdc++ first: libtorch.so shows an incomplete copy of std::filesystem.
target_link_libraries(strata::torch INTERFACE
  stdc++ ${strata_torch_root}/lib/libtorch_cpu.so ${strata_torch_root}/lib/libc10.so)
# CUDA's half registers itself when it is loaded, so it must be linked although nothing here calls it; its
# allocator's counts come through c10.
if(EXISTS "${strata_torch_root}/lib/libtorch_cuda.so")
  target_link_libraries(strata::torch INTERFACE ${strata_torch_root}/lib/libc10_cuda.so)
  target_link_options(strata::torch INTERFACE
    "LINKER:--push-state,--no-as-needed,${strata_torch_root}/lib/libtorch_cuda.so,--pop-state"
    "LINKER:--allow-shlib-undefined")
endif()
