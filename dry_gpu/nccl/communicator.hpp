// SPDX-License-Identifier: Apache-2.0
// A communicator: one rank of many, whose peers do not exist. And the first steps of every function that
// takes one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <set>

#include "dry_gpu/device/machine.hpp"
#include "dry_gpu/nccl/contents.hpp"
#include "dry_gpu/nccl/errors.hpp"

// Never freed, only ended: so a handle that outlives its communicator can be distinguished from a live one.
struct ncclComm {
  ncclComm(int on_device, int own_rank, std::optional<int> ranks, int bound, bool blocking)
      : device(on_device), rank(own_rank), size(ranks), size_bound(bound), is_blocking(blocking) {}

  const int device;
  const int rank;
  // Empty if it was split off unexpectedly (strata_dry_gpu_expect_split): only the other ranks know how many
  // chose its color. Then `rank` is unknown too, and `size_bound` is the size of the communicator it was
  // split from.
  const std::optional<int> size;
  const int size_bound;
  const bool is_blocking;

  std::atomic<bool> is_live = true, is_finalised = false, is_revoked = false;
  std::atomic<ncclResult_t> asynchronous_error = ncclSuccess;

  std::mutex mutex;  // guards the members below
  std::map<int, ncclDataType_t> operators;
  std::set<strata::dry_gpu::TransferKind> begun;  // kinds of transfers that have run
  struct Buffer {
    void* address;
    std::size_t bytes;
  };
  std::map<const void*, Buffer> registered, windows;  // by handle
};

namespace strata::dry_gpu {

// Stores the error for the calling thread's current group, which then starts nothing.
ncclResult_t keep_for_group(ncclResult_t result) noexcept;

// Counted, because NCCL does not document the device memory of a communicator; it is set by the profile.
// ncclUnhandledCudaError if the device has no space for it.
ncclResult_t create_communicator(Machine& machine, int device, int rank, std::optional<int> size,
                                 int size_bound, bool is_blocking, ncclComm_t* result);

// Frees its memory and ends it.
void end_communicator(Machine& machine, ncclComm& communicator);

// Whether it is a communicator that was not destroyed.
bool is_live(ncclComm_t communicator);

// Calls `body(machine)`. Fails without a device, and in a forked child of a process that had used one.
template <typename Body>
ncclResult_t call_nccl(Body&& body) noexcept {
  try {
    const MachineState state = machine();
    if (state.machine == nullptr) return keep_for_group(fail(ncclUnhandledCudaError, "no CUDA device"));
    if (state.is_forked)
      return keep_for_group(
          fail(ncclUnhandledCudaError, "CUDA was initialised before this process was forked"));
    return keep_for_group(body(*state.machine));
  } catch (const std::bad_alloc&) {
    return keep_for_group(ncclSystemError);
  } catch (...) {
    return keep_for_group(ncclInternalError);
  }
}

// The same for a communicator; a non-blocking one also stores its errors.
template <typename Body>
ncclResult_t call_with(ncclComm_t communicator, Body&& body) noexcept {
  return call_nccl([&](Machine& machine) {
    if (!is_live(communicator))
      return fail(ncclInvalidArgument, "comm argument is NULL, or has already been destroyed");
    const ncclResult_t result = body(machine, *communicator);
    if (result != ncclSuccess && !communicator->is_blocking) communicator->asynchronous_error = result;
    return result;
  });
}

}  // namespace strata::dry_gpu
