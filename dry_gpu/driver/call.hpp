// SPDX-License-Identifier: Apache-2.0
// The first and last steps of every driver function. Its errors have the runtime's numbers where those exist.
#pragma once

#include <new>

#include "dry_gpu/cuda_api.hpp"
#include "dry_gpu/device/machine.hpp"
#include "dry_gpu/device/thread_state.hpp"

namespace strata::dry_gpu {

constexpr CUresult driver_error(cudaError_t error) {
  const bool is_runtimes_alone = error == cudaErrorInvalidConfiguration ||
                                 error == cudaErrorInvalidDeviceFunction ||
                                 error == cudaErrorInvalidMemcpyDirection;
  return is_runtimes_alone ? CUDA_ERROR_INVALID_VALUE : static_cast<CUresult>(error);
}

// Calls `body(machine, thread)`, which returns a CUresult. Only after cuInit or a call of the runtime.
template <typename Body>
CUresult drive(Body&& body) noexcept {
  try {
    if (!is_machine_made()) return CUDA_ERROR_NOT_INITIALIZED;
    const MachineState state = machine();
    if (state.machine == nullptr) return CUDA_ERROR_NO_DEVICE;
    if (state.is_forked) return CUDA_ERROR_NOT_INITIALIZED;
    return body(*state.machine, this_thread());
  } catch (const std::bad_alloc&) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    return CUDA_ERROR_UNKNOWN;
  }
}

// The same for work on a stream: `body(machine, stream)`, which returns a cudaError_t.
template <typename Body>
CUresult drive_on(CUstream handle, Body&& body) noexcept {
  return drive([&](Machine& machine, ThreadState& thread) {
    CUstream_st* const stream = machine.streams().resolve(handle, thread.device);
    return stream == nullptr ? CUDA_ERROR_INVALID_HANDLE : driver_error(body(machine, *stream));
  });
}

}  // namespace strata::dry_gpu
