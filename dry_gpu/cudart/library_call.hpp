// SPDX-License-Identifier: Apache-2.0
// The first steps of functions in CUDA's libraries, and the representation of their work. Only values on a
// device would show that work, so it is a node of a graph that its stream records, and is counted each time
// it runs.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>

#include "dry_gpu/cudart/call.hpp"

namespace strata::dry_gpu {

// The common begin of all library handles.
struct LibraryHandle {
  int device = 0;
  cudaStream_t stream = nullptr;
};

template <typename Handle>
consteval bool begins_as_library_handle() {
  static_assert(std::is_standard_layout_v<Handle>);
  return offsetof(Handle, device) == offsetof(LibraryHandle, device) &&
         offsetof(Handle, stream) == offsetof(LibraryHandle, stream);
}

// Calls `body(handle)`, which returns its library's status or void: success, which is zero in every library.
template <auto kNoHandle, typename Handle, typename Body>
decltype(kNoHandle) call_with_handle(Handle* handle, Body&& body) noexcept {
  if (handle == nullptr) return kNoHandle;
  if constexpr (std::is_void_v<decltype(body(*handle))>) {
    body(*handle);
    return decltype(kNoHandle){};
  } else {
    return body(*handle);
  }
}

// Creates a library handle: calls `body(device)` for the current device. The device is then in use, including
// the part of its context that the library's first use takes.
template <auto kNoMemory, auto kNoDevice, typename Body>
decltype(kNoMemory) make_handle(std::optional<ContextPart> part, Body&& body) noexcept {
  const cudaError_t error = call([&](Machine& machine, ThreadState& thread) {
    machine.used(thread.device);
    if (part && !machine.take_part(thread.device, *part)) return cudaErrorMemoryAllocation;
    body(thread.device);
    return cudaSuccess;
  });
  if (error == cudaErrorMemoryAllocation) return kNoMemory;
  return error == cudaSuccess ? decltype(kNoMemory){} : kNoDevice;
}

// How the size of a call's workspace was determined.
enum class Workspace {
  kNone,     // the call needs none
  kUnknown,  // NVIDIA does not document the size, so the peak may be higher on a real GPU
  kAsked,    // reported by the real library
  kFitted,   // from a formula fitted to measurements of a real GPU
  kBounded,  // only an upper bound is known, so the peak may be lower on a real GPU
};

// [any thread] Increments the count of that kind.
void count_workspace(Counts& counts, Workspace workspace) noexcept;

cudaError_t submit_library_call(Machine& machine, CUstream_st& stream,
                                Workspace workspace = Workspace::kNone);
cudaError_t submit_library_call(const LibraryHandle& handle, Workspace workspace = Workspace::kNone);

// The complete implementation of a function without visible effect; returns its library's status codes.
int succeed_without_effect(const LibraryHandle* handle, int no_handle, int failed) noexcept;

}  // namespace strata::dry_gpu
