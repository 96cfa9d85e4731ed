// SPDX-License-Identifier: Apache-2.0
// Allocators other than torch's own, which the source may not be able to follow. Each case has its own
// process, because the first traced allocator stays traced for the process's lifetime.
#include <c10/core/CPUAllocator.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cstdlib>
#include <iostream>
#include <stdexcept>

#include "tests/sources_torch/traced_run.hpp"

namespace strata::test {
namespace {

void release(void* block) {
  std::free(block);
}
void release_in_its_own_way(void* block) {
  std::free(block);
}

// Every other block has a different deleter from the declared one.
class WhimsicalAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    void* const block = std::malloc(bytes);
    odd_ = !odd_;
    return {block, block, odd_ ? &release_in_its_own_way : &release, c10::kCPU};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }

 private:
  bool odd_ = true;
};

class AllocatorWithoutRawInterface final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override { return c10::GetDefaultCPUAllocator()->allocate(bytes); }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }
};

// Prints the result and exits: a death test checks the output.
[[noreturn]] void count_what_is_followed() {
  static WhimsicalAllocator allocator;
  c10::SetCPUAllocator(&allocator, 255);
  TracedRun run;
  for (int block = 0; block < 10; ++block) {
    const c10::DataPtr data = c10::GetCPUAllocator()->allocate(64);
  }
  const std::size_t told = run.host().memory().size();
  run.end();
  std::cerr << told << " events; " << run.host().log().at(0) << '\n';
  std::_Exit(0);
}

[[noreturn]] void load_over(c10::Allocator& allocator) {
  c10::SetCPUAllocator(&allocator, 255);
  FakeHost host;
  try {
    host.load(TORCH_SOURCE_FILE);
    std::cerr << "loaded\n";
  } catch (const std::runtime_error& refusal) {
    std::cerr << refusal.what() << '\n';
  }
  std::_Exit(0);
}

TEST(ForeignAllocator, LeavesBlocksWithOtherDeletersAloneAndCountsThem) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(count_what_is_followed(), testing::ExitedWithCode(0),
              "10 events; 5 CPU blocks could not be traced");
}

TEST(ForeignAllocator, WithoutRawInterfaceIsRefused) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  static AllocatorWithoutRawInterface allocator;
  EXPECT_EXIT(load_over(allocator), testing::ExitedWithCode(0), "has no raw interface");
}

TEST(ForeignAllocator, AfterAFirstRunIsRefused) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto second_run = [] {
    { TracedRun run; }
    static WhimsicalAllocator allocator;
    load_over(allocator);
  };
  EXPECT_EXIT(second_run(), testing::ExitedWithCode(0), "was replaced after it was first traced");
}

// The allocator is replaced between the source's creation and the run's begin.
TEST(ForeignAllocator, ThatComesBeforeTheRunsBeginFailsTheSource) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto replace_it = [] {
    static AllocatorWithoutRawInterface allocator;
    FakeHost host;
    host.load(TORCH_SOURCE_FILE);
    c10::SetCPUAllocator(&allocator, 255);
    host.begin_run();
    std::cerr << host.failure() << '\n';
    std::_Exit(0);
  };
  EXPECT_EXIT(replace_it(), testing::ExitedWithCode(0), "was replaced after it was first traced");
}

}  // namespace
}  // namespace strata::test
