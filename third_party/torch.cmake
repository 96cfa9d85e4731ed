# SPDX-License-Identifier: Apache-2.0
# LibTorch, 2.11 to 2.15: tensors, autograd, allocators. Only sources/torch, host/trainer and host/replay
# use it, the first two through strata_use_torch().
#
# Taken from torch_root.cmake's folder; a wheel has CUDA's headers and libraries next to it. Torch's own
# find_package(Torch) is not used: it requires a CUDA toolkit, which nothing here needs.

include(torch_root)
if(NOT EXISTS "${torch_root}/lib/libtorch_cpu.so")
  message(FATAL_ERROR
    "LibTorch was looked for in '${torch_root}' (no lib/libtorch_cpu.so there). Run `./dev build`, which installs "
    "it into .venv; or name one with -DSTRATA_TORCH_ROOT=<folder>; or build without it: -DSTRATA_WITH_TORCH=OFF.")
endif()

file(READ ${torch_root}/include/torch/headeronly/version.h version_header)
string(REGEX MATCH "#define TORCH_VERSION [^\"]*\"([0-9.]+)" version_line "${version_header}")
set(STRATA_TORCH_VERSION ${CMAKE_MATCH_1})
if(STRATA_TORCH_VERSION VERSION_LESS 2.11 OR STRATA_TORCH_VERSION VERSION_GREATER_EQUAL 2.16)
  message(FATAL_ERROR
    "LibTorch ${STRATA_TORCH_VERSION} in '${torch_root}' is not supported: 2.11 to 2.15 are. Torch's C++ ABI moves "
    "between releases; name another with -DSTRATA_TORCH_ROOT=<folder>.")
endif()
message(STATUS "LibTorch ${STRATA_TORCH_VERSION}: ${torch_root}")

# NDEBUG always, as the wheels were built: some inline functions of torch check more without it, and abort.
add_library(strata::torch INTERFACE IMPORTED GLOBAL)
target_include_directories(strata::torch SYSTEM INTERFACE
  ${torch_root}/include ${torch_root}/include/torch/csrc/api/include)
target_compile_definitions(strata::torch INTERFACE NDEBUG)
target_compile_options(strata::torch INTERFACE -fmacro-prefix-map=${torch_root}/include/=)  # as compiler.cmake does ours
# libstdc++ before it: libtorch.so shows an incomplete copy of std::filesystem, and a program that finds that copy first
# calls a null pointer in remove_all.
target_link_libraries(strata::torch INTERFACE
  stdc++ ${torch_root}/lib/libtorch.so ${torch_root}/lib/libtorch_cpu.so ${torch_root}/lib/libc10.so)

# strata_install_without_torch(TARGET): the installed file contains no path of this LibTorch. Its user has
# already opened a LibTorch: the recorded program, or `strata`, which finds the user's
# (host/cli/torch_libraries.hpp). The file is in lib/strata, or in a folder there for its release of torch.
function(strata_install_without_torch target)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/..:$ORIGIN/../.." INSTALL_RPATH_USE_LINK_PATH OFF)
endfunction()

# strata_use_torch(TARGET): links LibTorch, and compiles the target's files together.
#
# torch's headers contain 13 MB of text, and reading it is nearly all of the compile time of a file that needs
# them. They are read once per target, by compiling its files as one; a precompiled header was tried and cost
# more (docs/decisions/006). A file still includes what it uses, and clang-tidy reads each file separately.
function(strata_use_torch target)
  target_link_libraries(${target} PRIVATE strata::torch)
  strata_install_without_torch(${target})
  if(NOT STRATA_FOR_LINT)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  endif()
endfunction()
