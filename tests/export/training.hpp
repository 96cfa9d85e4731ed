// SPDX-License-Identifier: Apache-2.0
// The facts of a small training run in which tests know every block.
#pragma once

#include "host/analysis/analyse.hpp"
#include "tests/analysis/training_run.hpp"

namespace strata::exports::testing {

inline analysis::Facts training(const analysis::testing::TrainingOptions& options = {}) {
  return analysis::analyse(analysis::testing::make_training_run(options).recording);
}

}  // namespace strata::exports::testing
