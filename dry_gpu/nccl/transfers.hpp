// SPDX-License-Identifier: Apache-2.0
// Collectives, sends and receives. Their arguments are checked as by NCCL with NCCL_CHECK_POINTERS=1; without
// it NCCL would fail later.
#pragma once

#include <cstddef>

#include "dry_gpu/cuda_api.hpp"
#include "dry_gpu/nccl/contents.hpp"

namespace strata::dry_gpu {

struct Transfer {
  TransferKind kind;
  const void* send;
  void* receive;
  std::size_t count;  // elements in one rank's part
  ncclDataType_t type;
  int peer = 0;
  ncclRedOp_t operation = ncclSum;
};

ncclResult_t transfer(ncclComm_t communicator, const Transfer& transfer, cudaStream_t stream);

}  // namespace strata::dry_gpu
