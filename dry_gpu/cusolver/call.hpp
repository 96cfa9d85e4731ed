// SPDX-License-Identifier: Apache-2.0
// A cuSOLVER handle, what every function that takes one does first, and what a query for a workspace answers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#pragma GCC visibility push(default)
#include <cusolverDn.h>
#pragma GCC visibility pop

#include "dry_gpu/cudart/library_call.hpp"

struct cusolverDnContext {
  int device = 0;
  cudaStream_t stream = nullptr;
  cusolverDeterministicMode_t deterministic_mode = CUSOLVER_DETERMINISTIC_RESULTS;
  cusolverMathMode_t math_mode = CUSOLVER_DEFAULT_MATH;
  cudaEmulationStrategy_t emulation_strategy = CUDA_EMULATION_STRATEGY_DEFAULT;
};

namespace strata::dry_gpu {

static_assert(begins_as_library_handle<cusolverDnContext>());

// Calls `body(handle)`, which returns a cusolverStatus_t or nothing.
template <typename Body>
cusolverStatus_t call_cusolver(cusolverDnHandle_t handle, Body&& body) noexcept {
  return call_with_handle<CUSOLVER_STATUS_NOT_INITIALIZED>(handle, std::forward<Body>(body));
}

// As LAPACK has it: a matrix by columns, with the distance from column to column.
inline bool is_matrix(std::int64_t rows, std::int64_t columns, std::int64_t leading_dimension) {
  return rows >= 0 && columns >= 0 && leading_dimension >= std::max<std::int64_t>(1, rows);
}

// The sizes of workspaces are not documented. They are what the profile's `cusolver_workspace_bytes` says,
// and each answer is counted as one that nobody knew.
inline std::uint32_t unknown_workspace_bytes() {
  const MachineState state = machine();
  if (state.machine == nullptr) return 0;
  state.machine->counts().unknown_workspaces.add();
  return state.machine->cusolver_workspace_bytes();
}

// The answer in elements of a type, for functions whose arguments are right.
template <typename Element>
cusolverStatus_t tell_workspace(cusolverDnHandle_t handle, bool is_valid, int* elements) noexcept {
  return call_cusolver(handle, [&](cusolverDnContext&) {
    if (!is_valid || elements == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
    *elements = static_cast<int>((unknown_workspace_bytes() + sizeof(Element) - 1) / sizeof(Element));
    return CUSOLVER_STATUS_SUCCESS;
  });
}

// The same in bytes. What is on the host is no memory of a device.
inline cusolverStatus_t tell_workspaces(cusolverDnHandle_t handle, bool is_valid, std::size_t* device_bytes,
                                        std::size_t* host_bytes) noexcept {
  return call_cusolver(handle, [&](cusolverDnContext&) {
    if (!is_valid || device_bytes == nullptr || host_bytes == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
    *device_bytes = unknown_workspace_bytes();
    *host_bytes = 0;
    return CUSOLVER_STATUS_SUCCESS;
  });
}

}  // namespace strata::dry_gpu
