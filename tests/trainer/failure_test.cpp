// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/loop/train.hpp"

#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

namespace strata::trainer {
namespace {

Failure explanation(auto&& action) {
  try {
    action();
  } catch (...) {
    return explain(std::current_exception());
  }
  return {Outcome::kDone, "nothing was thrown"};
}

TEST(Failure, TorchsErrorIsCutToItsFirstLine) {
  const Failure failure = explanation([] { TORCH_CHECK(false, "shapes differ\nsecond line"); });
  EXPECT_EQ(failure.outcome, Outcome::kFailed);
  EXPECT_EQ(failure.message, "LibTorch reports: shapes differ");
}

TEST(Failure, TheDevicesAllocatorIsOutOfMemory) {
  const Failure failure =
      explanation([] { TORCH_CHECK_WITH(OutOfMemoryError, false, "tried to allocate 20.00 MiB.\nmore"); });
  EXPECT_EQ(failure.outcome, Outcome::kOutOfMemory);
  EXPECT_TRUE(failure.message.starts_with("out of memory: tried to allocate 20.00 MiB.")) << failure.message;
}

TEST(Failure, TheCpuAllocatorIsOutOfMemory) {
  const Failure failure = explanation(
      [] { TORCH_CHECK(false, "[enforce fail] . DefaultCPUAllocator: can't allocate memory: 8 bytes"); });
  EXPECT_EQ(failure.outcome, Outcome::kOutOfMemory);
  EXPECT_TRUE(failure.message.starts_with("out of memory: can't allocate memory: 8 bytes"))
      << failure.message;
}

TEST(Failure, TheHostsHeapIsOutOfMemory) {
  EXPECT_EQ(explanation([] { throw std::bad_alloc(); }).outcome, Outcome::kOutOfMemory);
}

TEST(Failure, OtherExceptionsKeepTheirMessage) {
  const Failure failure = explanation([] { throw std::runtime_error("data.path: gone"); });
  EXPECT_EQ(failure.outcome, Outcome::kFailed);
  EXPECT_EQ(failure.message, "data.path: gone");
}

TEST(Failure, SomethingElseIsCaughtToo) {
  EXPECT_EQ(explanation([] { throw 3; }).outcome, Outcome::kFailed);
}

}  // namespace
}  // namespace strata::trainer
