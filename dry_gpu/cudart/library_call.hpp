// SPDX-License-Identifier: Apache-2.0
// What the functions of CUDA's libraries do first, and what becomes of their work: nobody can see any of it
// but values on a device, so it is a node of a graph that its stream records, and counted each time that it
// runs.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>

#include "dry_gpu/cudart/call.hpp"

namespace strata::dry_gpu {

// How the handle of each library begins, whatever follows.
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

// Calls `body(handle)`, which returns its library's status or nothing: success, which is zero in each of
// them.
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

// Makes a handle of a library: calls `body(device)`, for the current device, which is in use from then on,
// with the part of its context that the library's first use takes.
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

// Where the size of a call's workspace came from.
enum class Workspace {
  kNone,     // the call needs none
  kUnknown,  // NVIDIA does not say how much, so that the peak may be higher on the card
  kAsked,    // the real library told
  kFitted,   // a formula gave it that was fitted to measurements of a card
  kBounded,  // only an upper bound is known, so that the peak may be lower on the card
};

// [any thread] Adds one to the count of that origin.
void count_workspace(Counts& counts, Workspace workspace) noexcept;

cudaError_t submit_library_call(Machine& machine, CUstream_st& stream,
                                Workspace workspace = Workspace::kNone);
cudaError_t submit_library_call(const LibraryHandle& handle, Workspace workspace = Workspace::kNone);

// The whole answer of a function without further effect, in its library's own numbers.
int succeed_without_effect(const LibraryHandle* handle, int no_handle, int failed) noexcept;

}  // namespace strata::dry_gpu
