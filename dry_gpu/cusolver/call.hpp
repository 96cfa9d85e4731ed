// SPDX-License-Identifier: Apache-2.0
// A cuSOLVER handle, the first steps of every function that takes one, and the answer to a workspace query.
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

// Calls `body(handle)`, which returns a cusolverStatus_t or void.
template <typename Body>
cusolverStatus_t call_cusolver(cusolverDnHandle_t handle, Body&& body) noexcept {
  return call_with_handle<CUSOLVER_STATUS_NOT_INITIALIZED>(handle, std::forward<Body>(body));
}

// For the types in which cuSOLVER computes; for another type the largest size.
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

// As in LAPACK: a matrix stored by columns, with the distance from column to column.
inline bool is_matrix(std::int64_t rows, std::int64_t columns, std::int64_t leading_dimension) {
  return rows >= 0 && columns >= 0 && leading_dimension >= std::max<std::int64_t>(1, rows);
}

// The elements of a workspace according to a fitted formula (fitted_sizes.hpp); empty if it was not measured.
using FittedElements = std::optional<std::int64_t>;

// Answers and counts one query: `cusolver_workspace_bytes` of the profile, else the formula's size, else
// nothing.
inline std::uint64_t workspace_bytes(FittedElements fitted, std::size_t element_bytes) {
  const MachineState state = machine();
  if (state.machine == nullptr) return 0;
  const std::uint64_t given = state.machine->cusolver_workspace_bytes();
  const bool is_fitted = given == 0 && fitted.has_value();
  count_workspace(state.machine->counts(), is_fitted ? Workspace::kFitted : Workspace::kUnknown);
  return is_fitted ? static_cast<std::uint64_t>(*fitted) * element_bytes : given;
}

// The answer in elements of a type, for valid arguments. A size that does not fit in an int is an error: the
// caller would use a different one.
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

// The same in bytes, for elements of the computing type. Host workspace does not count as device memory.
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
