// SPDX-License-Identifier: Apache-2.0
// Groups of calls: nothing is started before the outermost group ends, and nothing at all if a call failed.
#pragma once

#include "dry_gpu/nccl/communicator.hpp"
#include "dry_gpu/nccl/contents.hpp"

namespace strata::dry_gpu {

// A transfer with checked arguments, and the stream in which it takes its place.
struct Queued {
  ncclComm_t communicator;
  CUstream_st* stream;
  Movement movement;
};

// Starts it now, or with the rest of the calling thread's current group.
ncclResult_t enqueue(Machine& machine, const Queued& queued);

}  // namespace strata::dry_gpu
