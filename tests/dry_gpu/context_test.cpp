// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/profile/context.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "dry_gpu/device/kernels/kernels.hpp"
#include "dry_gpu/device/launch.hpp"
#include "dry_gpu/device/machine.hpp"
#include "tests/dry_gpu/test_profile.hpp"

namespace strata::dry_gpu {
namespace {

constexpr std::uint64_t kPartMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kMade = 64 * kPartMiB;  // the profile's context when it is made

MachineProfile with_parts(const std::string& lines) {
  return parse_profile(kTestProfile + lines);
}

std::uint64_t used_of(Machine& machine, int device = 0) {
  return machine.used(device).memory.use().used_bytes;
}

TEST(Context, TakesAPartWhenItIsTouchedAndOnce) {
  Machine machine(with_parts("context_cublas_bytes 41943040\ncontext_cudnn_bytes 8388608\n"), {0, 1});
  EXPECT_EQ(used_of(machine), kMade);
  EXPECT_TRUE(machine.take_part(0, ContextPart::kCublas));
  EXPECT_EQ(used_of(machine), kMade + 40 * kPartMiB);
  EXPECT_TRUE(machine.take_part(0, ContextPart::kCublas));
  EXPECT_TRUE(machine.take_part(0, ContextPart::kCufft)) << "whose size the profile leaves out";
  EXPECT_EQ(used_of(machine), kMade + 40 * kPartMiB);
  EXPECT_TRUE(machine.take_part(0, ContextPart::kCudnn));
  EXPECT_EQ(used_of(machine), kMade + 48 * kPartMiB);
  EXPECT_EQ(used_of(machine, 1), kMade) << "each device has a context of its own";
}

TEST(Context, APartThatHasNoRoomIsTakenLater) {
  Machine machine(with_parts("context_kernels_bytes 104857600\n"), {0});
  DeviceMemory& memory = machine.used(0).memory;
  const Address block = memory.allocate(900 * kPartMiB).value();
  EXPECT_FALSE(machine.take_part(0, ContextPart::kKernels));
  EXPECT_EQ(used_of(machine), kMade + 900 * kPartMiB);
  EXPECT_TRUE(memory.free(block));
  EXPECT_TRUE(machine.take_part(0, ContextPart::kKernels));
  EXPECT_EQ(used_of(machine), kMade + 100 * kPartMiB);
}

// As in a replay, which does not touch the context.
TEST(Context, APartThatIsPlannedIsNotTakenWhenItIsTouched) {
  Machine machine(with_parts("context_kernels_bytes 4194304\ncontext_kernels_after 1\n"
                             "context_cudnn_bytes 8388608\ncontext_cudnn_after 0\n"),
                  {0});
  EXPECT_EQ(used_of(machine), kMade + 8 * kPartMiB);
  EXPECT_TRUE(machine.take_part(0, ContextPart::kKernels));
  EXPECT_EQ(used_of(machine), kMade + 8 * kPartMiB);
  ASSERT_TRUE(machine.device(0).memory.allocate(2 * kPartMiB).has_value());
  EXPECT_EQ(used_of(machine), kMade + 14 * kPartMiB);
}

TEST(Context, ThreadsTakeAPartTogetherOnce) {
  Machine machine(with_parts("context_kernels_bytes 4194304\n"), {0});
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i)
    threads.emplace_back([&] { EXPECT_TRUE(machine.take_part(0, ContextPart::kKernels)); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(used_of(machine), kMade + 4 * kPartMiB);
}

TEST(Context, AKernelLoadsItsCodeAndFlashAttentionMore) {
  Machine machine(with_parts("context_kernels_bytes 104857600\ncontext_attention_bytes 8388608\n"), {0});
  static const int plain = 0, flash = 0;
  kernels().add(&plain, "_Z5plainv", nullptr);
  kernels().add(&flash, "_ZN13pytorch_flash16flash_fwd_kernelEv", nullptr);
  CUstream_st* const stream = machine.streams().resolve(nullptr, 0);
  const auto launched = [&](const void* kernel, std::size_t shared_bytes) {
    return launch(machine, *stream, {kernel, {1, 1, 1}, {32, 1, 1}, shared_bytes});
  };
  const Address block = machine.used(0).memory.allocate(900 * kPartMiB).value();
  EXPECT_EQ(launched(&plain, 0), cudaErrorMemoryAllocation) << "no room for its code";
  EXPECT_TRUE(machine.device(0).memory.free(block));
  EXPECT_EQ(launched(&plain, 0), cudaSuccess);
  EXPECT_EQ(used_of(machine), kMade + 100 * kPartMiB);
  EXPECT_EQ(launched(&plain, 96 << 10), cudaSuccess);
  EXPECT_EQ(used_of(machine), kMade + 100 * kPartMiB);
  EXPECT_EQ(launched(&flash, 96 << 10), cudaSuccess);
  EXPECT_EQ(used_of(machine), kMade + 108 * kPartMiB);
}

// Allocations cannot use a part's memory, only its addresses.
TEST(Context, APartsAddressesAreUsed) {
  Machine machine(with_parts("context_kernels_bytes 4194304\n"), {0});
  DeviceMemory& memory = machine.used(0).memory;
  const Address before = memory.allocate(20 * kPartMiB).value();
  ASSERT_TRUE(machine.take_part(0, ContextPart::kKernels));
  const Address inside = memory.allocate(free_addresses_of(ContextPart::kKernels)).value();
  EXPECT_LT(inside, before);
  EXPECT_EQ(memory.allocate(2 * kPartMiB), before + 20 * kPartMiB) << "the hole is full";
}

}  // namespace
}  // namespace strata::dry_gpu
