// SPDX-License-Identifier: Apache-2.0
// What a transfer does to the contents of memory: the one place that decides it.
//
// The peers are taken to be like this rank: what it holds, each of them holds. So sizes and shapes that ranks
// compare with each other are found to be equal, as they are in programs that run; and where another rank
// broadcasts into a buffer whose contents this one knows, it keeps them. What another rank alone knows (it
// broadcasts into fresh memory, or sends) is unknown, and so are sums that a card may round: their last bits
// depend on the order in which NCCL adds the ranks'.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dry_gpu/device/machine.hpp"
#include "dry_gpu/nccl/errors.hpp"

namespace strata::dry_gpu {

enum class TransferKind {
  kAllReduce,
  kReduce,
  kBroadcast,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kGather,
  kScatter,
  kSend,
  kReceive
};

// One rank's part in a transfer. Where this rank has no such buffer, its bytes are 0.
struct Movement {
  TransferKind kind;
  const void* send;  // kReceive: what this rank sends itself
  std::uint64_t send_bytes;
  void* receive;
  std::uint64_t receive_bytes;
  ncclDataType_t type;
  ncclRedOp_t operation;
  int rank;                 // -1: not known
  int peer;                 // the root, or the other end
  std::optional<int> size;  // ranks; nothing: not known
};

// Counts transfers that run as one, and decides what their receive buffers hold now: when they take their
// place in their stream, and again whenever a graph is launched that recorded them.
void carry_out(Machine& machine, std::span<const Movement> movements);

}  // namespace strata::dry_gpu
