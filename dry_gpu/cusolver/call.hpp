// SPDX-License-Identifier: Apache-2.0
// A cuSOLVER handle, what every function that takes one does first, and what a query for a workspace answers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#pragma GCC visibility push(default)
#include <cusolverDn.h>
#pragma GCC visibility pop

#include "dry_gpu/cudart/library_call.hpp"
#include "dry_gpu/cusolver/fitted_sizes.hpp"

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

// Of the types that cuSOLVER computes in; of another, as of the largest.
inline std::size_t element_bytes(cudaDataType type) {
  switch (type) {
    case CUDA_R_32F:
      return sizeof(float);
    case CUDA_R_64F:
    case CUDA_C_32F:
      return sizeof(double);
    default:
      return sizeof(cuDoubleComplex);
  }
}

// As LAPACK has it: a matrix by columns, with the distance from column to column.
inline bool is_matrix(std::int64_t rows, std::int64_t columns, std::int64_t leading_dimension) {
  return rows >= 0 && columns >= 0 && leading_dimension >= std::max<std::int64_t>(1, rows);
}

// How many elements a workspace has by a fitted formula (fitted_sizes.hpp); nothing: it was not measured.
using FittedElements = std::optional<std::int64_t>;

// Answers and counts one query: what the profile's `cusolver_workspace_bytes` says, else the formula's size,
// else nothing.
inline std::uint64_t workspace_bytes(FittedElements fitted, std::size_t element_bytes) {
  const MachineState state = machine();
  if (state.machine == nullptr) return 0;
  const std::uint64_t given = state.machine->cusolver_workspace_bytes();
  const bool is_fitted = given == 0 && fitted.has_value();
  count_workspace(state.machine->counts(), is_fitted ? Workspace::kFitted : Workspace::kUnknown);
  return is_fitted ? static_cast<std::uint64_t>(*fitted) * element_bytes : given;
}

// The answer in elements of a type, for functions whose arguments are right. A size that an int cannot hold
// is refused: the caller would take it for another.
template <typename Element>
cusolverStatus_t report_workspace(cusolverDnHandle_t handle, bool is_valid, int* elements,
                                  FittedElements fitted = std::nullopt) noexcept {
  return call_cusolver(handle, [&](cusolverDnContext&) {
    if (!is_valid || elements == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
    const std::uint64_t bytes = workspace_bytes(fitted, sizeof(Element));
    const std::uint64_t count = (bytes + sizeof(Element) - 1) / sizeof(Element);
    if (count > std::numeric_limits<int>::max()) return CUSOLVER_STATUS_INVALID_VALUE;
    *elements = static_cast<int>(count);
    return CUSOLVER_STATUS_SUCCESS;
  });
}

// The same in bytes, of elements of the type in which is computed. What is on the host is no memory of a
// device.
inline cusolverStatus_t report_workspaces(cusolverDnHandle_t handle, bool is_valid, std::size_t* device_bytes,
                                          std::size_t* host_bytes, FittedElements fitted = std::nullopt,
                                          cudaDataType type = CUDA_R_32F) noexcept {
  return call_cusolver(handle, [&](cusolverDnContext&) {
    if (!is_valid || device_bytes == nullptr || host_bytes == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
    *device_bytes = workspace_bytes(fitted, element_bytes(type));
    *host_bytes = 0;
    return CUSOLVER_STATUS_SUCCESS;
  });
}

}  // namespace strata::dry_gpu
