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

ncclComm_t create_communicator(Machine& machine, int device, int rank, std::optional<int> size,
                               int size_bound, bool is_blocking) {
  machine.used(device);
  machine.counts().communicators.add();
  const std::scoped_lock lock(all().mutex);
  ncclComm& made = all().communicators.emplace_back(device, rank, size, size_bound, is_blocking);
  all().handles.insert(&made);
  return &made;
}

bool is_live(ncclComm_t communicator) {
  const std::scoped_lock lock(all().mutex);
  return all().handles.contains(communicator) && communicator->is_live;
}

}  // namespace strata::dry_gpu
