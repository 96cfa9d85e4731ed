// SPDX-License-Identifier: Apache-2.0
// A small training run as the host's trainer would record it: every kind of block that it makes, in the order
// in which torch makes and frees them, with the category that each must be found to have.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/analysis/run_builder.hpp"

namespace strata::analysis::testing {

struct TrainingOptions {
  std::int64_t steps = 3;
  std::uint32_t micro_batches = 2;
  std::uint32_t layers = 2;
  bool set_to_none = true;       // gradients are freed before each step, or kept and cleared
  bool saved_tensors = true;     // rows of what autograd saves
  bool backward = true;          // without: mode forward
  bool checkpointing = false;    // each layer's forward runs again in its backward
  bool backward_ranges = false;  // modules are told of in backward too
  bool cross_check = false;      // reports of an independent count
};

struct TrainingRun {
  Recording recording;
  std::vector<Expected> expected;  // of each block, by birth
};

TrainingRun make_training_run(const TrainingOptions& options = {});

}  // namespace strata::analysis::testing
