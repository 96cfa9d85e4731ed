// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/nccl/communicator.hpp"

#include <deque>
#include <unordered_set>

namespace strata::dry_gpu {
namespace {

struct All {
  std::mutex mutex;
  std::deque<ncclComm> communicators;
  std::unordered_set<const ncclComm*> handles;
};

All& all() {
  static All& only = *new All;  // NOLINT(cppcoreguidelines-owning-memory)
  return only;
}

}  // namespace

ncclResult_t create_communicator(Machine& machine, int device, int rank, std::optional<int> size,
                                 int size_bound, bool is_blocking, ncclComm_t* result) {
  Device& taken_from = machine.used(device);
  if (!machine.take_part(device, ContextPart::kNccl) ||
      !taken_from.memory.take_part(machine.nccl_memory_bytes(), 0))
    return fail(ncclUnhandledCudaError, "Cuda failure 2 'out of memory'");
  machine.counts().communicators.add();
  const std::scoped_lock lock(all().mutex);
  ncclComm& made = all().communicators.emplace_back(device, rank, size, size_bound, is_blocking);
  all().handles.insert(&made);
  *result = &made;
  return ncclSuccess;
}

void end_communicator(Machine& machine, ncclComm& communicator) {
  if (communicator.is_live.exchange(false))
    machine.device(communicator.device).memory.give_back_part(machine.nccl_memory_bytes());
}

bool is_live(ncclComm_t communicator) {
  const std::scoped_lock lock(all().mutex);
  return all().handles.contains(communicator) && communicator->is_live;
}

}  // namespace strata::dry_gpu
