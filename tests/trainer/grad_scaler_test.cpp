// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/precision/grad_scaler.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace strata::trainer {
namespace {

GradScaler scaler(std::int64_t growth_interval = 2) {
  return {
      {.init_scale = 8.0, .growth_factor = 4.0, .backoff_factor = 0.5, .growth_interval = growth_interval},
      at::kCPU};
}

double scale_of(const GradScaler& scaler) {
  return scaler.scale_tensor().item<double>();
}

TEST(GradScaler, ScalesTheLossAndItsGradientsBack) {
  GradScaler scaler = trainer::scaler();
  EXPECT_FALSE(scaler.scale_tensor().defined());
  EXPECT_EQ(scaler.scale(at::full({}, 3.0)).item<double>(), 24.0);
  const std::vector<at::Tensor> gradients{at::full({2}, 16.0), at::full({3}, -8.0)};
  EXPECT_TRUE(scaler.unscale(gradients));
  EXPECT_TRUE(at::equal(gradients[0], at::full({2}, 2.0)));
  EXPECT_TRUE(at::equal(gradients[1], at::full({3}, -1.0)));
}

TEST(GradScaler, GrowsAfterStepsWithoutOverflow) {
  GradScaler scaler = trainer::scaler();
  for (const double expected : {8.0, 32.0, 32.0, 128.0}) {
    scaler.scale(at::ones({}));
    EXPECT_TRUE(scaler.unscale({at::ones({1})}));
    scaler.update();
    EXPECT_EQ(scale_of(scaler), expected);
  }
}

TEST(GradScaler, BacksOffAfterAnOverflowAndCountsAgain) {
  GradScaler scaler = trainer::scaler();
  const auto step = [&](double gradient) {
    scaler.scale(at::ones({}));
    const bool finite = scaler.unscale({at::ones({4}), at::full({1}, gradient)});
    scaler.update();
    return finite;
  };
  EXPECT_TRUE(step(1.0));
  EXPECT_FALSE(step(std::numeric_limits<double>::infinity()));
  EXPECT_EQ(scale_of(scaler), 4.0);
  EXPECT_FALSE(step(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_EQ(scale_of(scaler), 2.0);
  EXPECT_TRUE(step(1.0));
  EXPECT_EQ(scale_of(scaler), 2.0) << "steps before the overflow do not count";
  EXPECT_TRUE(step(1.0));
  EXPECT_EQ(scale_of(scaler), 8.0);
}

}  // namespace
}  // namespace strata::trainer
