// SPDX-License-Identifier: Apache-2.0
// Every allocation and every free of torch's CPU allocator, from any thread.
#include <c10/core/CPUAllocator.h>
#include <gtest/gtest.h>
#include <torch/torch.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "tests/sources_torch/traced_run.hpp"

namespace strata::test {
namespace {

std::uint64_t address_of(const torch::Tensor& tensor) {
  return reinterpret_cast<std::uint64_t>(tensor.const_data_ptr());
}

TEST(AllocatorEvents, NameAddressSizeAndThread) {
  TracedRun run;
  std::uint64_t address = 0;
  {
    const torch::Tensor tensor = torch::empty({1000});
    address = address_of(tensor);
  }
  const std::vector<MemoryRecord> records = run.host().memory();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].event.action, STRATA_MEMORY_ALLOCATE);
  EXPECT_EQ(records[0].event.address, address);
  EXPECT_EQ(records[0].event.bytes, 4000u);
  EXPECT_EQ(records[0].event.device.type, STRATA_DEVICE_CPU);
  EXPECT_EQ(records[0].thread, static_cast<std::uint32_t>(gettid()));
  EXPECT_EQ(records[1].event.action, STRATA_MEMORY_FREE);
  EXPECT_EQ(records[1].event.address, address);
}

TEST(AllocatorEvents, ComeFromOtherThreadsAndCrossThem) {
  TracedRun run;
  torch::Tensor made_there;
  std::uint32_t maker = 0;
  std::thread([&] {
    maker = static_cast<std::uint32_t>(gettid());
    made_there = torch::empty({1001});
  }).join();
  made_there.reset();
  const std::vector<MemoryRecord> records = run.host().memory();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].thread, maker);
  EXPECT_EQ(records[1].thread, static_cast<std::uint32_t>(gettid()));
  EXPECT_EQ(records[1].event.address, records[0].event.address);
}

TEST(AllocatorEvents, CoverForwardAndBackwardOfParallelOperators) {
  TracedRun run;
  {
    torch::nn::Sequential model(torch::nn::Linear(256, 512), torch::nn::GELU(),
                                torch::nn::LayerNorm(torch::nn::LayerNormOptions({512})),
                                torch::nn::Linear(512, 256));
    const torch::Tensor input = torch::randn({512, 256});
    for (int step = 0; step < 3; ++step) {
      model->zero_grad();
      model->forward(input).softmax(-1).pow(2).sum().backward();
    }
    const LiveBlocks live = replay(run.host().memory());
    std::uint64_t held = input.nbytes();
    for (const torch::Tensor& parameter : model->parameters())
      held += parameter.nbytes() + parameter.grad().nbytes();
    EXPECT_EQ(live.bytes(), held);
  }
  EXPECT_EQ(replay(run.host().memory()).bytes(), 0u);
}

TEST(AllocatorEvents, LeaveOutBlocksWithoutAnAddress) {
  TracedRun run;
  { const torch::Tensor nothing = torch::empty({0}); }
  EXPECT_TRUE(run.host().memory().empty());
}

TEST(AllocatorEvents, CoverTheRawInterfaceAndClones) {
  TracedRun run;
  c10::Allocator* const allocator = c10::GetCPUAllocator();
  void* const raw = allocator->raw_allocate(300);
  std::memset(raw, 7, 300);
  {
    const c10::DataPtr clone = allocator->clone(raw, 300);
    EXPECT_EQ(std::memcmp(clone.get(), raw, 300), 0);
    EXPECT_TRUE(allocator->is_simple_data_ptr(clone));
  }
  allocator->raw_deallocate(raw);
  const std::vector<MemoryRecord> records = run.host().memory();
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(of_size(records, STRATA_MEMORY_ALLOCATE, 300).size(), 2u);
  EXPECT_EQ(records[3].event.address, reinterpret_cast<std::uint64_t>(raw));
  EXPECT_TRUE(replay(records).by_address().empty());
}

TEST(AllocatorEvents, TellOfMemoryThatWasNotHadAndPassTheErrorOn) {
  TracedRun run;
  constexpr std::uint64_t kTooMuch = std::uint64_t{1} << 60;
  EXPECT_THROW(c10::GetCPUAllocator()->allocate(kTooMuch), c10::Error);
  const std::vector<MemoryRecord> records = run.host().memory();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].event.action, STRATA_MEMORY_OUT_OF_MEMORY);
  EXPECT_EQ(records[0].event.bytes, kTooMuch);
  EXPECT_EQ(records[0].event.address, 0u);
}

// Two threads, one address:
//
//     thread 1              thread 2
//     free emitted
//     real free
//                           real allocation, same address
//                           allocation emitted
//
// In the opposite order on either side, the replay would see two live blocks at one address.
TEST(AllocatorEvents, NeverShowTwoLiveBlocksAtOneAddress) {
  TracedRun run;
  constexpr int kThreads = 8;
  constexpr int kRounds = 4000;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([] {
      for (int round = 0; round < kRounds; ++round) {
        // Larger than malloc's per-thread cache, so that threads reuse each other's addresses.
        const c10::DataPtr block = c10::GetCPUAllocator()->allocate(4096);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::vector<MemoryRecord> records = run.host().memory();
  EXPECT_EQ(records.size(), std::size_t{2} * kThreads * kRounds);
  EXPECT_EQ(replay(records).bytes(), 0u);
}

TEST(AllocatorEvents, EndWithTheRunWhileItsBlocksLiveOn) {
  std::optional<TracedRun> run(std::in_place);
  const c10::Allocator* const during = c10::GetCPUAllocator();
  torch::Tensor survivor = torch::ones({100});
  run->end();
  EXPECT_NE(c10::GetCPUAllocator(), during);
  const std::size_t told = run->host().memory().size();
  survivor.resize_({100'000});  // asks the allocator it was made with
  survivor.fill_(2);
  EXPECT_EQ(survivor.sum().item<float>(), 200'000.0F);
  EXPECT_EQ(run->host().memory().size(), told);
  run.reset();
  survivor.reset();
}

TEST(AllocatorEvents, BelongToTheRunTheyHappenIn) {
  torch::Tensor survivor;
  {
    TracedRun first;
    survivor = torch::empty({2000});
  }
  TracedRun second;
  const std::uint64_t address = address_of(survivor);
  survivor.reset();
  const std::vector<MemoryRecord> records = second.host().memory();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].event.action, STRATA_MEMORY_FREE);
  EXPECT_EQ(records[0].event.address, address);
  EXPECT_EQ(replay(records).bytes(), 0u);
}

TEST(AllocatorEvents, StopBeforeTheHostGoesWhileOtherThreadsAllocate) {
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&done] {
      while (!done) {
        const c10::DataPtr block = c10::GetCPUAllocator()->allocate(512);
      }
    });
  }
  for (int round = 0; round < 20; ++round) {
    TracedRun run;
    while (run.host().last_sequence() < 100) std::this_thread::yield();
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace strata::test
