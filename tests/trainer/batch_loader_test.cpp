// SPDX-License-Identifier: Apache-2.0
// Workers change when a micro-batch is read, and nothing else.
#include "host/trainer/data/batch_loader.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "host/trainer/data/batch_reader.hpp"

namespace strata::trainer {
namespace {

using namespace std::chrono_literals;

// Micro-batches that hold the number of their first sample; some are read faster than earlier ones.
class CountingSource : public BatchReader {
 public:
  Batch read(std::uint64_t first, std::int64_t samples) const override {
    ++begun_;
    std::this_thread::sleep_for(first % 3 == 0 ? 3ms : 0ms);
    if (first == fails_at) throw DataError("sample " + std::to_string(first) + " is broken");
    const auto value = static_cast<std::int64_t>(first);
    return {at::full({samples}, value, at::kLong), at::full({samples}, -value, at::kLong)};
  }
  std::string description() const override { return "counts"; }

  std::uint64_t begun() const { return begun_; }

  std::uint64_t fails_at = ~std::uint64_t{0};

 private:
  mutable std::atomic<std::uint64_t> begun_ = 0;
};

LoadPlan plan_of(std::int64_t workers, std::int64_t prefetch, std::uint64_t micro_batches = 20) {
  return {.samples = 2, .micro_batches = micro_batches, .workers = workers, .prefetch = prefetch};
}

void ignore(const Batch&) {}

// Waits for a worker's own progress, at most a minute.
template <typename Condition>
bool comes_true(const Condition& condition) {
  for (int i = 0; i < 60'000 && !condition(); ++i) std::this_thread::sleep_for(1ms);
  return condition();
}

class Workers : public testing::TestWithParam<std::int64_t> {};

TEST_P(Workers, HandOutEveryMicroBatchInItsOrder) {
  const CountingSource source;
  for (const std::int64_t prefetch : {1, 3, 50}) {
    BatchLoader loader(source, plan_of(GetParam(), prefetch), ignore);
    for (std::int64_t i = 0; i < 20; ++i) {
      const Batch batch = loader.next();
      EXPECT_EQ(batch.input.sizes(), (std::vector<std::int64_t>{2}));
      EXPECT_EQ(batch.input[1].item<std::int64_t>(), 2 * i) << prefetch << " ahead";
      EXPECT_EQ(batch.target[0].item<std::int64_t>(), -2 * i) << prefetch << " ahead";
    }
  }
}

TEST_P(Workers, ThrowWhatAReadThrewWhenItsTurnHasCome) {
  CountingSource source;
  source.fails_at = 6;
  BatchLoader loader(source, plan_of(GetParam(), 8), ignore);
  for (std::int64_t i = 0; i < 3; ++i) EXPECT_EQ(loader.next().input[0].item<std::int64_t>(), 2 * i);
  try {
    loader.next();
    FAIL() << "expected DataError";
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "sample 6 is broken");
  }
  EXPECT_EQ(loader.next().input[0].item<std::int64_t>(), 8) << "the others are not lost";
}

INSTANTIATE_TEST_SUITE_P(BatchLoader, Workers, testing::Values(0, 1, 2, 5));

TEST(BatchLoader, WithoutWorkersReadsWhatIsAskedForOnly) {
  const CountingSource source;
  int prefetched = 0;
  BatchLoader loader(source, plan_of(0, 4), [&](const Batch&) { ++prefetched; });
  loader.next();
  EXPECT_EQ(source.begun(), 1u);
  EXPECT_EQ(prefetched, 0);
}

TEST(BatchLoader, IsNoFurtherAheadThanPrefetchSays) {
  const CountingSource source;
  BatchLoader loader(source, plan_of(3, 4), ignore);
  ASSERT_TRUE(comes_true([&] { return source.begun() == 4; }));
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(source.begun(), 4u);
  loader.next();
  ASSERT_TRUE(comes_true([&] { return source.begun() == 5; }));
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(source.begun(), 5u);
}

TEST(BatchLoader, ReadsNoMoreThanTheRunHas) {
  const CountingSource source;
  {
    BatchLoader loader(source, plan_of(2, 8, 3), ignore);
    for (int i = 0; i < 3; ++i) loader.next();
  }
  EXPECT_EQ(source.begun(), 3u);
}

TEST(BatchLoader, SaysWhatIsPrefetchedBeforeItIsTaken) {
  const CountingSource source;
  std::mutex mutex;
  std::set<const void*> prefetched;
  BatchLoader loader(source, plan_of(2, 3), [&](const Batch& batch) {
    const std::lock_guard lock(mutex);
    prefetched.insert(batch.input.const_data_ptr());
  });
  for (int i = 0; i < 20; ++i) {
    const Batch batch = loader.next();
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(prefetched.contains(batch.input.const_data_ptr()));
  }
}

TEST(BatchLoader, WhatTheListenerThrowsIsTheMicroBatchs) {
  const CountingSource source;
  BatchLoader loader(source, plan_of(1, 2), [](const Batch&) { throw std::runtime_error("no"); });
  EXPECT_THROW(loader.next(), std::runtime_error);
}

TEST(BatchLoader, EndsInTheMiddleOfARunAndFreesWhatNobodyTook) {
  const CountingSource source;
  std::mutex mutex;
  std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>> storages;
  {
    BatchLoader loader(source, plan_of(2, 4), [&](const Batch& batch) {
      const std::lock_guard lock(mutex);
      storages.push_back(batch.input.storage().getWeakStorageImpl());
    });
    loader.next();
    ASSERT_TRUE(comes_true([&] {
      const std::lock_guard lock(mutex);
      return storages.size() == 5;
    }));
  }
  for (const auto& storage : storages) EXPECT_TRUE(storage.expired());
}

}  // namespace
}  // namespace strata::trainer
