// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/nccl/groups.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "dry_gpu/device/error_texts.hpp"

namespace strata::dry_gpu {
namespace {

struct Group {
  int depth = 0;
  ncclResult_t error = ncclSuccess;
  std::vector<Queued> queued;
};

Group& this_group() {
  thread_local Group group;
  return group;
}

bool is_own(const Queued& queued, TransferKind kind) {
  return queued.movement.kind == kind && queued.movement.peer == queued.movement.rank;
}

// Data that a rank sends to itself is received in the same group, in the same order.
ncclResult_t match_own(std::vector<Queued>& group) {
  std::vector<const Queued*> sent;
  for (const Queued& queued : group) {
    if (is_own(queued, TransferKind::kSend)) sent.push_back(&queued);
  }
  for (Queued& queued : group) {
    if (!is_own(queued, TransferKind::kReceive)) continue;
    const auto own = std::ranges::find(sent, queued.communicator, &Queued::communicator);
    if (own == sent.end()) return fail(ncclInvalidUsage, "Trying to recv to self without a matching send");
    if ((*own)->movement.send_bytes != queued.movement.receive_bytes)
      return fail(ncclInvalidUsage, "Trying to recv to self with a size other than the sent one");
    queued.movement.send = (*own)->movement.send;
    queued.movement.send_bytes = (*own)->movement.send_bytes;
    sent.erase(own);
  }
  return sent.empty() ? ncclSuccess
                      : fail(ncclInvalidUsage, "Trying to send to self without a matching recv");
}

// An all-to-all made of single transfers: a peer that does the same sends this rank what this rank sends
// itself.
void match_peers(std::vector<Queued>& group) {
  std::map<const ncclComm*, std::set<int>> senders;
  for (const Queued& each : group) {
    if (each.movement.kind == TransferKind::kReceive) senders[each.communicator].insert(each.movement.peer);
  }
  for (Queued& queued : group) {
    const std::optional<int> size = queued.movement.size;
    if (queued.movement.kind != TransferKind::kReceive || is_own(queued, TransferKind::kReceive) || !size ||
        senders[queued.communicator].size() != static_cast<std::size_t>(*size))
      continue;
    const auto own = std::ranges::find_if(group, [&](const Queued& each) {
      return is_own(each, TransferKind::kSend) && each.communicator == queued.communicator &&
             each.movement.send_bytes == queued.movement.receive_bytes;
    });
    if (own == group.end()) continue;
    queued.movement.send = own->movement.send;
    queued.movement.send_bytes = own->movement.send_bytes;
  }
}

// Whether the communicator does something for the first time. On a card that takes longer than the 100 ms
// after which PyTorch's watchdog looks again: NCCL connects the ranks, kernels are loaded. The watchdog then
// lets go of the tensors of finished collectives, so a first step ends without them.
bool is_new_kind(ncclComm& communicator, const std::vector<Movement>& movements) {
  const std::scoped_lock lock(communicator.mutex);
  return std::ranges::count_if(movements, [&](const Movement& movement) {
           return communicator.begun.insert(movement.kind).second;
         }) > 0;
}

// The transfers of a group for one communicator and stream run as one.
ncclResult_t start(Machine& machine, std::vector<Queued> group) {
  if (const ncclResult_t unmatched = match_own(group); unmatched != ncclSuccess) return unmatched;
  match_peers(group);
  std::erase_if(group, [](const Queued& queued) {
    return queued.movement.send_bytes == 0 && queued.movement.receive_bytes == 0;
  });
  while (!group.empty()) {
    const Queued first = group.front();
    const auto rest = std::ranges::stable_partition(group, [&](const Queued& queued) {
      return queued.communicator == first.communicator && queued.stream == first.stream;
    });
    std::vector<Movement> movements;
    for (auto each = group.begin(); each != rest.begin(); ++each) movements.push_back(each->movement);
    group.erase(group.begin(), rest.begin());
    if (is_new_kind(*first.communicator, movements)) machine.streams().await_observer(first.stream);
    const cudaError_t error = machine.streams().submit(
        first.stream, cudaGraphNodeTypeKernel,
        [&machine, movements = std::move(movements)] { carry_out(machine, movements); });
    if (error != cudaSuccess) return fail(ncclUnhandledCudaError, error_text(error).text);
  }
  return ncclSuccess;
}

// The queue of the outermost group if it has ended; empty if it continues.
std::optional<std::vector<Queued>> leave(Group& group) {
  if (--group.depth > 0) return std::nullopt;
  return std::exchange(group.queued, {});
}

}  // namespace

ncclResult_t keep_for_group(ncclResult_t result) noexcept {
  Group& group = this_group();
  if (group.depth > 0 && result != ncclSuccess && result != ncclInProgress) group.error = result;
  return result;
}

ncclResult_t enqueue(Machine& machine, const Queued& queued) {
  Group& group = this_group();
  if (group.depth == 0) return start(machine, {queued});
  group.queued.push_back(queued);
  return ncclSuccess;
}

}  // namespace strata::dry_gpu

using namespace strata::dry_gpu;

ncclResult_t ncclGroupStart() {
  ++this_group().depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  return call_nccl([](Machine& machine) {
    Group& group = this_group();
    if (group.depth == 0) return fail(ncclInvalidUsage, "ncclGroupEnd: not in a group call.");
    auto queued = leave(group);
    if (!queued) return ncclSuccess;
    const ncclResult_t error = std::exchange(group.error, ncclSuccess);
    return error == ncclSuccess ? start(machine, std::move(*queued)) : error;
  });
}

// Ends the group and starts nothing of it. How long it would take is not known: NCCL's own "undefined".
ncclResult_t ncclGroupSimulateEnd(ncclSimInfo_t* info) {
  return call_nccl([&](Machine& machine) {
    constexpr ncclSimInfo_t kInitial = NCCL_SIM_INFO_INITIALIZER;
    Group& group = this_group();
    if (group.depth == 0) return fail(ncclInvalidUsage, "ncclGroupEnd: not in a group call.");
    if (info != nullptr && info->magic != kInitial.magic)
      return fail(ncclInvalidArgument,
                  "ncclSimInfo_t argument not initialized via NCCL_SIM_INFO_INITIALIZER");
    if (!leave(group)) return ncclSuccess;
    if (info != nullptr) info->estimatedTime = NCCL_UNDEF_FLOAT;
    machine.counts().unknown_times.add();
    return std::exchange(group.error, ncclSuccess);
  });
}
