// SPDX-License-Identifier: Apache-2.0
// The learning rate of each step, compared with hand-computed values of transformers'
// get_linear_schedule_with_warmup and get_cosine_schedule_with_warmup.
#include "host/trainer/optimizers/optimizer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace strata::trainer {
namespace {

using Rates = std::vector<double>;
using config::LearningRateSchedule;

Rates rates(LearningRateSchedule schedule, std::int64_t warmup, double final_share, std::uint64_t steps) {
  config::OptimizerConfig config;
  config.lr = 2.0;
  config.lr_schedule = schedule;
  config.lr_warmup_steps = warmup;
  config.lr_final_share = final_share;
  Rates rates;
  for (std::uint64_t step = 0; step <= steps; ++step) rates.push_back(learning_rate_at(config, step, steps));
  return rates;
}

TEST(LearningRate, IsConstantUnlessAsked) {
  EXPECT_EQ(rates(LearningRateSchedule::kConstant, 0, 0.0, 3), (Rates{2.0, 2.0, 2.0, 2.0}));
}

TEST(LearningRate, RisesFromZeroOverTheWarmup) {
  EXPECT_EQ(rates(LearningRateSchedule::kConstant, 4, 0.0, 6), (Rates{0.0, 0.5, 1.0, 1.5, 2.0, 2.0, 2.0}));
}

TEST(LearningRate, FallsInALine) {
  EXPECT_EQ(rates(LearningRateSchedule::kLinear, 0, 0.0, 4), (Rates{2.0, 1.5, 1.0, 0.5, 0.0}));
  EXPECT_EQ(rates(LearningRateSchedule::kLinear, 2, 0.5, 6), (Rates{0.0, 1.0, 2.0, 1.75, 1.5, 1.25, 1.0}));
}

TEST(LearningRate, FallsAsACosine) {
  const Rates cosine = rates(LearningRateSchedule::kCosine, 1, 0.1, 5);
  const double root = std::sqrt(0.5);
  const Rates expected{0.0, 2.0, 0.2 + 0.9 * (1 + root), 1.1, 0.2 + 0.9 * (1 - root), 0.2};
  ASSERT_EQ(cosine.size(), expected.size());
  for (std::size_t step = 0; step < cosine.size(); ++step) EXPECT_NEAR(cosine[step], expected[step], 1e-12);
}

TEST(LearningRate, OfAWarmupLongerThanTheRunNeverGetsThere) {
  EXPECT_EQ(rates(LearningRateSchedule::kCosine, 8, 0.0, 2), (Rates{0.0, 0.25, 0.5}));
}

}  // namespace
}  // namespace strata::trainer
