// SPDX-License-Identifier: Apache-2.0
// NCCL: how a thread that polls collectives sees them.
#include <atomic>
#include <chrono>
#include <thread>

#include "dry_gpu/device/streams.hpp"
#include "tests/dry_gpu/nccl_rank.hpp"

namespace strata::dry_gpu {
namespace {

// As PyTorch's watchdog, which polls every 100 ms and releases what finished collectives held.
TEST_F(Nccl, TheFirstCollectiveOfAKindIsSeenByAnotherThreadBeforeAStreamWaitsForIt) {
  cudaStream_t waiting = nullptr;
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaStreamCreate(&waiting), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  ASSERT_EQ(reduce_all(buffer_, buffer_, kMiB), ncclSuccess);
  ASSERT_EQ(cudaEventRecord(event, stream_), cudaSuccess);
  ASSERT_EQ(cudaEventQuery(event), cudaSuccess) << "of the thread that recorded it, which holds nothing";
  std::atomic<bool> is_seen = false;
  std::thread watchdog([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    is_seen = true;
    EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  });
  EXPECT_EQ(cudaStreamWaitEvent(waiting, event), cudaSuccess);
  EXPECT_TRUE(is_seen);
  watchdog.join();

  const auto wait_for_another = [&] {
    EXPECT_EQ(cudaEventRecord(event, stream_), cudaSuccess);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(cudaStreamWaitEvent(waiting, event), cudaSuccess);
    return std::chrono::steady_clock::now() - begin;
  };
  ASSERT_EQ(reduce_all(buffer_, buffer_, kMiB), ncclSuccess);
  EXPECT_LT(wait_for_another(), Streams::kLongestObservation) << "the second of its kind";
  ASSERT_EQ(ncclBroadcast(buffer_, buffer_, kMiB, ncclUint8, 0, communicator_, stream_), ncclSuccess);
  EXPECT_GE(wait_for_another(), Streams::kLongestObservation) << "another kind, and no thread looks";
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(waiting), cudaSuccess);
}

}  // namespace
}  // namespace strata::dry_gpu
