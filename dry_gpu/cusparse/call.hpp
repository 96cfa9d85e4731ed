// SPDX-License-Identifier: Apache-2.0
// A cuSPARSE handle, the first steps of every function that takes one, and the answer to a buffer query.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#define DISABLE_CUSPARSE_DEPRECATED  // programs also call deprecated functions
#pragma GCC visibility push(default)
#include <cusparse.h>
#pragma GCC visibility pop

#include "dry_gpu/cudart/library_call.hpp"
#include "dry_gpu/device/unknown_reads.hpp"

struct cusparseContext {
  int device = 0;
  cudaStream_t stream = nullptr;
  cusparsePointerMode_t pointer_mode = CUSPARSE_POINTER_MODE_HOST;
};

namespace strata::dry_gpu {

static_assert(begins_as_library_handle<cusparseContext>());

// Calls `body(handle)`, which returns a cusparseStatus_t or void.
template <typename Body>
cusparseStatus_t call_cusparse(cusparseHandle_t handle, Body&& body) noexcept {
  return call_with_handle<CUSPARSE_STATUS_NOT_INITIALIZED>(handle, std::forward<Body>(body));
}

// Buffer sizes are not documented. They are zero, the minimum, and each answer is counted.
template <typename Size>
cusparseStatus_t report_buffer(cusparseHandle_t handle, bool is_valid, Size* bytes) noexcept {
  return call_cusparse(handle, [&](cusparseContext&) {
    if (!is_valid || bytes == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    const MachineState state = machine();
    if (state.machine == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    state.machine->counts().unknown_workspaces.add();
    *bytes = 0;
    return CUSPARSE_STATUS_SUCCESS;
  });
}

// A number that the device would have computed, on the host: `least` is its lower bound, whatever the answer.
template <typename Number>
cusparseStatus_t set_unknown(Number* number, Number least) noexcept {
  const MachineState state = machine();
  if (state.machine == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  *number = 0;
  read_unknown(*state.machine, std::as_writable_bytes(std::span(number, 1)));
  *number = std::max(*number, least);
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace strata::dry_gpu
