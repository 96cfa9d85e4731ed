// SPDX-License-Identifier: Apache-2.0
// The cost of matrix products, from their shapes.
#include <gtest/gtest.h>

#include "strata/ext/activity.h"
#include "tests/analysis/time/timed_run.hpp"

namespace strata::analysis {
namespace {

using testing::TimedRun;

constexpr ProductRow kShape{.bytes = 4 * (8 * 32 + 32 * 16 + 8 * 16),
                            .batch = 1,
                            .m = 8,
                            .n = 16,
                            .k = 32,
                            .products = 1,
                            .element_bytes = 4};
constexpr double kFlop = 2.0 * 8 * 16 * 32;

class ProductTimes : public ::testing::Test {
 protected:
  ProductTimes() { run_.step(0, 0, 100'000); }
  TimedRun run_;
};

TEST_F(ProductTimes, OfOneShapeAreTogether) {
  for (std::int64_t at = 0; at < 4; ++at)
    run_.product(run_.op("aten::mm", {.begin_ns = at * 1000, .end_ns = at * 1000 + 500}), kShape);
  const TimeFacts facts = run_.facts();
  ASSERT_EQ(facts.products.size(), 1u);
  const ProductTime& product = facts.products[0];
  EXPECT_EQ(product.count, 4u);
  EXPECT_DOUBLE_EQ(product.flop, 4 * kFlop);
  EXPECT_EQ(product.time_ns, 2000);
  EXPECT_FALSE(product.on_device);
  EXPECT_DOUBLE_EQ(product.flop_per_second().value(), 4 * kFlop / 2000e-9);
  EXPECT_DOUBLE_EQ(product.intensity().value(), kFlop / double(kShape.bytes));
}

TEST_F(ProductTimes, OnADeviceAreTheDevices) {
  const auto product = run_.op("aten::addmm", {.begin_ns = 0, .end_ns = 500});
  const auto inner = run_.op("aten::_addmm_impl", {.begin_ns = 10, .end_ns = 400, .parent = product});
  run_.product(product, kShape);
  run_.device(STRATA_ACTIVITY_KERNEL, 1000, 1040, 0, "gemm").op = inner;
  const TimeFacts facts = run_.facts();
  ASSERT_EQ(facts.products.size(), 1u);
  EXPECT_TRUE(facts.products[0].on_device);
  EXPECT_EQ(facts.products[0].time_ns, 40);
}

TEST_F(ProductTimes, OfADryDeviceWithoutKernelsAreNotKnown) {
  run_.product(run_.op("aten::mm", {.begin_ns = 0, .end_ns = 500}), kShape);
  run_.recording().dry.emplace();
  EXPECT_FALSE(run_.facts().products.at(0).flop_per_second().has_value()) << "it asked, and nothing computed";
  run_.recording().dry.reset();
  run_.recording().device.type = STRATA_DEVICE_CUDA;
  EXPECT_FALSE(run_.facts().products.at(0).flop_per_second().has_value());
  run_.recording().device.type = STRATA_DEVICE_CPU;
  EXPECT_TRUE(run_.facts().products.at(0).flop_per_second().has_value());
}

TEST_F(ProductTimes, OfAProductThatAnotherOneCalledAreCountedOnce) {
  const auto outer = run_.op("aten::baddbmm", {.begin_ns = 0, .end_ns = 500});
  run_.product(outer, kShape);
  run_.product(run_.op("aten::bmm", {.begin_ns = 10, .end_ns = 400, .parent = outer}), kShape);
  const TimeFacts facts = run_.facts();
  ASSERT_EQ(facts.products.size(), 1u);
  EXPECT_DOUBLE_EQ(facts.products[0].flop, kFlop);
}

TEST_F(ProductTimes, OfNoTimeAndOfNoBytesHaveNoRatio) {
  ProductRow shape = kShape;
  shape.bytes = 0;
  run_.product(run_.op("aten::mm", {.begin_ns = 10, .end_ns = 10}), shape);
  run_.product(4711, kShape);  // of an operator that has no row
  const TimeFacts facts = run_.facts();
  ASSERT_EQ(facts.products.size(), 1u);
  EXPECT_FALSE(facts.products[0].flop_per_second().has_value());
  EXPECT_FALSE(facts.products[0].intensity().has_value());
}

}  // namespace
}  // namespace strata::analysis
