// SPDX-License-Identifier: Apache-2.0
// Allocated and reserved bytes, counted from events.
#include "plugins/nvtx_markers/device_memory.hpp"

#include <gtest/gtest.h>

namespace strata::test {
namespace {

using nvtx_markers::DeviceMemory;

constexpr strata_device kCpu{STRATA_DEVICE_CPU, 0};
constexpr strata_device kCuda{STRATA_DEVICE_CUDA, 1};

strata_memory_event event(std::uint32_t action, strata_device device, std::uint64_t address,
                          std::uint64_t bytes, std::uint64_t handed_out = 0) {
  return {sizeof(strata_memory_event), action, device, address, bytes, 0, 0, handed_out, 0};
}

TEST(DeviceMemory, CountsCpuBlocksAsAskedForAndFreesThemByAddress) {
  DeviceMemory memory;
  EXPECT_TRUE(memory.note(event(STRATA_MEMORY_ALLOCATE, kCpu, 0x10, 100)));
  EXPECT_TRUE(memory.note(event(STRATA_MEMORY_ALLOCATE, kCpu, 0x20, 7)));
  EXPECT_EQ(memory.of(kCpu).allocated, 107u);
  EXPECT_TRUE(memory.note(event(STRATA_MEMORY_FREE, kCpu, 0x10, 0)));
  EXPECT_EQ(memory.of(kCpu).allocated, 7u);
  EXPECT_FALSE(memory.note(event(STRATA_MEMORY_FREE, kCpu, 0x99, 0))) << "older than the run";
  EXPECT_EQ(memory.of(kCpu).allocated, 7u);
}

TEST(DeviceMemory, LearnsACudaBlocksSizeFromTheNextEvent) {
  DeviceMemory memory;
  memory.note(event(STRATA_MEMORY_SEGMENT_ALLOCATE, kCuda, 0x1000, 2 << 20));
  memory.note(event(STRATA_MEMORY_ALLOCATE, kCuda, 0x1000, 1000, 0));
  EXPECT_EQ(memory.of(kCuda).allocated, 1024u) << "rounded to 512";
  memory.note(event(STRATA_MEMORY_ALLOCATE, kCuda, 0x2000, 100, 1536));
  EXPECT_EQ(memory.of(kCuda).allocated, 1536u + 512u) << "the first block had a rest";
  memory.note(event(STRATA_MEMORY_FREE, kCuda, 0x1000, 1000, 2048));
  EXPECT_EQ(memory.of(kCuda).allocated, 512u);
  memory.note(event(STRATA_MEMORY_FREE_DEFERRED, kCuda, 0x1000, 1000, 2048));
  memory.note(event(STRATA_MEMORY_FREE_COMPLETED, kCuda, 0x1000, 1000, 2048));
  EXPECT_EQ(memory.of(kCuda).allocated, 512u);
  EXPECT_EQ(memory.of(kCuda).reserved, 2u << 20);
  memory.note(event(STRATA_MEMORY_SEGMENT_FREE, kCuda, 0x1000, 2 << 20, 2048));
  EXPECT_EQ(memory.of(kCuda).reserved, 0u);
}

TEST(DeviceMemory, KeepsTheGuessWhereTheTotalWasReset) {
  DeviceMemory memory;
  memory.note(event(STRATA_MEMORY_ALLOCATE, kCuda, 0x1000, 1000, 9000));
  memory.note(event(STRATA_MEMORY_ALLOCATE, kCuda, 0x2000, 1000, 0));
  EXPECT_EQ(memory.of(kCuda).allocated, 2048u);
}

TEST(DeviceMemory, TakesWhatAnAllocatorWithoutSegmentsSays) {
  DeviceMemory memory;
  EXPECT_TRUE(memory.note(event(STRATA_MEMORY_RESERVED, kCuda, 0, 4096)));
  EXPECT_FALSE(memory.note(event(STRATA_MEMORY_RESERVED, kCuda, 0, 4096)));
  EXPECT_EQ(memory.of(kCuda).reserved, 4096u);
}

TEST(DeviceMemory, ReplacesABlockWhoseFreeWasNotTold) {
  DeviceMemory memory;
  memory.note(event(STRATA_MEMORY_ALLOCATE, kCpu, 0x10, 100));
  memory.note(event(STRATA_MEMORY_ALLOCATE, kCpu, 0x10, 60));
  EXPECT_EQ(memory.of(kCpu).allocated, 60u);
}

TEST(DeviceMemory, TrainsOnTheFirstCudaDeviceElseOnTheCpu) {
  DeviceMemory memory;
  memory.note(event(STRATA_MEMORY_ALLOCATE, {STRATA_DEVICE_CUDA_HOST, 0}, 0x5, 5));
  memory.note(event(STRATA_MEMORY_ALLOCATE, kCpu, 0x10, 100));
  EXPECT_EQ(memory.of_training().allocated, 100u);
  memory.note(event(STRATA_MEMORY_ALLOCATE, kCuda, 0x20, 512));
  EXPECT_EQ(memory.of_training().allocated, 512u);
}

}  // namespace
}  // namespace strata::test
