// SPDX-License-Identifier: Apache-2.0
// Many threads on several devices at once: for ThreadSanitizer, and to check the final account.
#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "tests/dry_gpu/dry_devices.hpp"

namespace strata::dry_gpu {
namespace {

using Threads = DryDevices;

constexpr int kThreads = 64;
constexpr int kDevices = 8;

// The operations of one training step: memory, a stream, an event that another stream waits for, a kernel,
// copies.
bool work(std::minstd_rand& random, cudaStream_t stream, cudaEvent_t event) {
  static const char kernel = 0;
  void* memory = nullptr;
  int host = 1;
  const std::size_t bytes = 1 + random() % (random() % 8 == 0 ? 8 * kMiB : 100'000);
  return cudaMalloc(&memory, bytes) == cudaSuccess &&
         cudaMemcpyAsync(memory, &host, 1, cudaMemcpyHostToDevice, stream) == cudaSuccess &&
         cudaLaunchKernel(&kernel, {1, 1, 1}, {32, 1, 1}, nullptr, 0, stream) == cudaSuccess &&
         cudaEventRecord(event, stream) == cudaSuccess &&
         cudaStreamWaitEvent(nullptr, event, 0) == cudaSuccess &&
         cudaMemcpyAsync(&host, memory, 1, cudaMemcpyDeviceToHost, stream) == cudaSuccess &&
         cudaStreamSynchronize(stream) == cudaSuccess && cudaEventQuery(event) == cudaSuccess &&
         cudaFree(memory) == cudaSuccess;
}

TEST_F(Threads, LeaveNothingBehind) {
  const std::uint64_t before = strata_dry_gpu_count().launches;
  constexpr int kRounds = 200;
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (int index = 0; index < kThreads; ++index) {
    threads.emplace_back([index, &failures] {
      std::minstd_rand random(static_cast<unsigned>(index + 1));
      cudaStream_t stream = nullptr;
      cudaEvent_t event = nullptr;
      bool fine = cudaSetDevice(index % kDevices) == cudaSuccess &&
                  cudaStreamCreate(&stream) == cudaSuccess && cudaEventCreate(&event) == cudaSuccess;
      for (int round = 0; fine && round < kRounds; ++round) fine = work(random, stream, event);
      fine = fine && cudaEventDestroy(event) == cudaSuccess && cudaStreamDestroy(stream) == cudaSuccess;
      if (!fine) ++failures;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(strata_dry_gpu_count().launches - before, static_cast<std::uint64_t>(kThreads) * kRounds);
  for (int device = 0; device < kDevices; ++device) {
    ASSERT_EQ(cudaSetDevice(device), cudaSuccess);
    EXPECT_EQ(used_bytes(), 0u) << device;
  }
}

// One thread captures while others continue on their own streams.
TEST_F(Threads, CaptureBesideOthers) {
  std::atomic<bool> done = false;
  std::atomic<int> failures = 0;
  std::vector<std::thread> others;
  for (int index = 0; index < 8; ++index) {
    others.emplace_back([index, &done, &failures] {
      std::minstd_rand random(static_cast<unsigned>(index + 1));
      cudaStream_t stream = nullptr;
      cudaEvent_t event = nullptr;
      bool fine = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess &&
                  cudaEventCreate(&event) == cudaSuccess;
      while (fine && !done) {
        static const char kernel = 0;
        fine = cudaLaunchKernel(&kernel, {1, 1, 1}, {32, 1, 1}, nullptr, 0, stream) == cudaSuccess &&
               cudaEventRecord(event, stream) == cudaSuccess;
        const cudaError_t state = cudaEventQuery(event);  // with a modelled clock it is not done yet
        fine = fine && (state == cudaSuccess || state == cudaErrorNotReady);
      }
      if (!fine) ++failures;
      cudaEventDestroy(event);
      cudaStreamDestroy(stream);
    });
  }
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  static const char kernel = 0;
  for (int round = 0; round < 100; ++round) {
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    for (int node = 0; node < 5; ++node)
      ASSERT_EQ(cudaLaunchKernel(&kernel, {1, 1, 1}, {1, 1, 1}, nullptr, 0, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    std::size_t nodes = 0;
    ASSERT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
    EXPECT_EQ(nodes, 5u);
    ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  }
  done = true;
  for (std::thread& other : others) other.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

}  // namespace
}  // namespace strata::dry_gpu
