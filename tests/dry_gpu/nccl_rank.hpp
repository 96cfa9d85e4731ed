// SPDX-License-Identifier: Apache-2.0
// A test with a communicator that is one rank of many, a stream, and a buffer large enough for the data
// of every rank.
#pragma once

#include <nccl.h>

#include "tests/dry_gpu/dry_devices.hpp"

namespace strata::dry_gpu {

class Nccl : public DryDevices {
 protected:
  void SetUp() override {
    DryDevices::SetUp();
    ncclUniqueId id;
    ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
    ASSERT_EQ(ncclCommInitRank(&communicator_, kRanks, id, kRank), ncclSuccess);
    ASSERT_EQ(cudaStreamCreate(&stream_), cudaSuccess);
    buffer_ = allocate(kRanks * kMiB);
  }
  void TearDown() override {
    EXPECT_EQ(ncclCommDestroy(communicator_), ncclSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    EXPECT_EQ(cudaFree(buffer_), cudaSuccess);
  }

  ncclResult_t reduce_all(const void* send, void* receive, std::size_t bytes,
                          ncclRedOp_t operation = ncclSum) {
    return ncclAllReduce(send, receive, bytes, ncclUint8, operation, communicator_, stream_);
  }

  static constexpr int kRanks = 64, kRank = 3;
  ncclComm_t communicator_ = nullptr;
  cudaStream_t stream_ = nullptr;
  std::byte* buffer_ = nullptr;
};

}  // namespace strata::dry_gpu
