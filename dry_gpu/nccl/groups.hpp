// SPDX-License-Identifier: Apache-2.0
// Groups of calls: nothing of them is started before the outermost ends, and nothing at all if one was
// refused.
#pragma once

#include "dry_gpu/nccl/communicator.hpp"
#include "dry_gpu/nccl/contents.hpp"

namespace strata::dry_gpu {

// A transfer whose arguments were checked, and the stream that it takes its place in.
struct Queued {
  ncclComm_t communicator;
  CUstream_st* stream;
  Movement movement;
};

// Starts it: now, or with the rest of the group that the calling thread has under way.
ncclResult_t enqueue(Machine& machine, const Queued& queued);

}  // namespace strata::dry_gpu
