// SPDX-License-Identifier: Apache-2.0
// A cuDNN handle, and the first steps of every cuDNN function.
#pragma once

#include <cstdint>
#include <memory>
#include <new>

#pragma GCC visibility push(default)
#include <cudnn.h>
#pragma GCC visibility pop

#include "dry_gpu/cudart/library_call.hpp"

struct cudnnContext {
  int device = 0;
  cudaStream_t stream = nullptr;
};

namespace strata::dry_gpu {

static_assert(begins_as_library_handle<cudnnContext>());

// Calls `body()`, which returns a cudnnStatus_t. No exception leaves the library.
template <typename Body>
cudnnStatus_t answer(Body&& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
  } catch (...) {
    return CUDNN_STATUS_INTERNAL_ERROR;
  }
}

template <typename Descriptor>
cudnnStatus_t create(Descriptor** result) noexcept {
  return answer([&] {
    if (result == nullptr) return CUDNN_STATUS_BAD_PARAM;
    *result = std::make_unique<Descriptor>().release();
    return CUDNN_STATUS_SUCCESS;
  });
}

// Destroying null succeeds, as in the real library.
template <typename Descriptor>
cudnnStatus_t destroy(Descriptor* descriptor) noexcept {
  const std::unique_ptr<Descriptor> owned(descriptor);
  return CUDNN_STATUS_SUCCESS;
}

template <typename... Pointers>
bool has_null(const Pointers*... pointers) {
  return ((pointers == nullptr) || ...);
}

// For getters of descriptors, which fill the pointers that are not null.
template <typename Value>
void give(Value* place, const Value& value) {
  if (place != nullptr) *place = value;
}

// Whether a caller's number belongs to an enumeration that begins at 0.
template <typename Enumeration>
bool is_at_most(Enumeration value, Enumeration last) {
  return static_cast<std::int64_t>(value) >= 0 &&
         static_cast<std::int64_t>(value) <= static_cast<std::int64_t>(last);
}

// Replaces a computation. For workspaces see workspace.hpp.
cudnnStatus_t compute_nothing(cudnnHandle_t handle, Workspace workspace) noexcept;

// Adds to the time measured by callers in the handle's stream (Streams::add_time).
void add_time(cudnnHandle_t handle, std::int64_t ns) noexcept;

}  // namespace strata::dry_gpu
