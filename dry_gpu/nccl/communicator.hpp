// SPDX-License-Identifier: Apache-2.0
// A communicator: one rank of many, whose peers are not there. And what every function that takes one does
// first.
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

// Never freed, only ended: a handle that outlives its communicator can be told from a live one.
struct ncclComm {
  ncclComm(int on_device, int own_rank, std::optional<int> ranks, int bound, bool blocking)
      : device(on_device), rank(own_rank), size(ranks), size_bound(bound), is_blocking(blocking) {}

  const int device;
  const int rank;
  // Nothing, for one that was split off: how many ranks chose its colour is known to them alone. Then `rank`
  // is not known either, and `size_bound` is what it was split from.
  const std::optional<int> size;
  const int size_bound;
  const bool is_blocking;

  std::atomic<bool> is_live = true, is_finalised = false, is_revoked = false;
  std::atomic<ncclResult_t> asynchronous_error = ncclSuccess;

  std::mutex mutex;  // guards what follows
  std::map<int, ncclDataType_t> operators;
  std::set<strata::dry_gpu::TransferKind> begun;  // kinds of transfers that have run
  struct Buffer {
    void* address;
    std::size_t bytes;
  };
  std::map<const void*, Buffer> registered, windows;  // by handle
};

namespace strata::dry_gpu {

// Keeps the error for the group that the calling thread has under way, which then starts nothing.
ncclResult_t keep_for_group(ncclResult_t result) noexcept;

// Counted: how much of its device a communicator takes on a card is not documented, and is what the profile
// says. ncclUnhandledCudaError: the device has no room for it.
ncclResult_t create_communicator(Machine& machine, int device, int rank, std::optional<int> size,
                                 int size_bound, bool is_blocking, ncclComm_t* result);

// Gives back what it took, and is no communicator any more.
void end_communicator(Machine& machine, ncclComm& communicator);

// Whether it is a communicator, and was not destroyed.
bool is_live(ncclComm_t communicator);

// Calls `body(machine)`. Without a device nothing works, nor in the child of a process that had used one.
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

// The same for a communicator, of which one that does not block keeps its errors too.
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
