// SPDX-License-Identifier: Apache-2.0
// The effect of a transfer on the contents of memory, decided only here.
//
// The peers are assumed to have the same values as this rank. So sizes and shapes that ranks compare are
// equal, as in correct programs. If another rank broadcasts into a buffer with known contents, it keeps them.
// Values known only to another rank (which broadcasts into fresh memory, or sends) are unknown, and so are
// sums that a real GPU may round: their last bits depend on the order in which NCCL adds.
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

// One rank's part of a transfer. If this rank has no such buffer, its size is 0.
struct Movement {
  TransferKind kind;
  const void* send;  // kReceive: the data that this rank sends itself, as its peers are assumed to do
  std::uint64_t send_bytes;
  void* receive;
  std::uint64_t receive_bytes;
  ncclDataType_t type;
  ncclRedOp_t operation;
  int rank;                 // -1: unknown
  int peer;                 // the root, or the other end
  std::optional<int> size;  // ranks; empty: unknown
};

// Counts transfers that run together, and decides the new contents of their receive buffers: when they take
// their place in their stream, and again at each launch of a graph that recorded them.
void carry_out(Machine& machine, std::span<const Movement> movements);

}  // namespace strata::dry_gpu
