// SPDX-License-Identifier: Apache-2.0
// Storages that live on from step to step: of moving averages, and of views that show only part of a storage.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tests/counter_examples/recorded_program.hpp"

namespace strata::test {
namespace {

class KeptStorages : public ::testing::Test {
 protected:
  KeptStorages() {
    program_.setup([&] { weight_ = at::randn({16, 8}); });
    program_.owns(TensorRole::kParameter, "weight", weight_);
  }

  RecordedProgram program_{false};
  at::Tensor weight_;
};

TEST_F(KeptStorages, AMovingAverageIsAParameterWheneverItIsMade) {
  at::Tensor average;
  for (int step = 0; step < 2; ++step) {
    program_.step([&] {
      program_.phase(PhaseKind::kOptimizer, [&] {
        if (!average.defined()) average = weight_.clone();
        average.lerp_(weight_, 0.1);
      });
      program_.owns(TensorRole::kEma, "weight", average, weight_);
    });
  }
  EXPECT_EQ(program_.kinds_of_step(0), (KindBytes{{"ema", 512}}));
  EXPECT_EQ(program_.kinds_of_step(1), KindBytes());
  constexpr auto kParameter = static_cast<std::size_t>(analysis::Category::kParameter);
  EXPECT_EQ(program_.facts().points.back().bytes[kParameter], 512u + 512u);
}

// GaLore keeps two columns of a factor of 16, and so its whole storage.
TEST_F(KeptStorages, AViewKeepsItsWholeStorage) {
  at::Tensor projector;
  program_.step([&] {
    program_.phase(PhaseKind::kOptimizer, [&] { projector = at::randn({16, 16}).narrow(1, 0, 2); });
    program_.owns(TensorRole::kProjector, "projector", projector, weight_);
  });
  EXPECT_EQ(program_.kinds_of_step(0), (KindBytes{{"projector", 16 * 16 * 4}}));
}

}  // namespace
}  // namespace strata::test
