// SPDX-License-Identifier: Apache-2.0
// The first and last steps of every runtime function.
#pragma once

#include <new>

#include "dry_gpu/cuda_api.hpp"
#include "dry_gpu/device/machine.hpp"
#include "dry_gpu/device/thread_state.hpp"

namespace strata::dry_gpu {

// Stores an error for cudaGetLastError.
inline cudaError_t keep_error(cudaError_t error) noexcept {
  if (error != cudaSuccess) this_thread().last_error = error;
  return error;
}

// Calls `body(machine, thread)` and stores its error. Fails without a device, and in a forked child of a
// process that had used one.
template <typename Body>
cudaError_t call(Body&& body) noexcept {
  try {
    const MachineState state = machine();
    if (state.machine == nullptr) return keep_error(cudaErrorNoDevice);
    if (state.is_forked) return keep_error(cudaErrorInitializationError);
    return keep_error(body(*state.machine, this_thread()));
  } catch (const std::bad_alloc&) {
    return keep_error(cudaErrorMemoryAllocation);
  } catch (...) {
    return keep_error(cudaErrorUnknown);
  }
}

// The same for work on a stream: `body(machine, thread, stream)`.
template <typename Body>
cudaError_t call_on(cudaStream_t handle, Body&& body) noexcept {
  return call([&](Machine& machine, ThreadState& thread) {
    CUstream_st* const stream = machine.streams().resolve(handle, thread.device);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    return body(machine, thread, *stream);
  });
}

// Whether a call that may wait for all work (cudaMalloc, cudaFree, cudaDeviceSynchronize) is allowed now.
inline cudaError_t may_wait_for_all(Machine& machine, const ThreadState& thread) {
  return machine.streams().synchronize_all(&thread, thread.capture_mode);
}

// The host waits for all work of the device; without a modelled clock that is already done.
inline cudaError_t wait_for_device(Machine& machine, const ThreadState& thread, int device) {
  if (const cudaError_t error = may_wait_for_all(machine, thread)) return error;
  if (Clock* const clock = machine.clock()) clock->wait_for_device(device);
  return cudaSuccess;
}

}  // namespace strata::dry_gpu
