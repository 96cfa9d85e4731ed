// SPDX-License-Identifier: Apache-2.0
// A small training run as the host's trainer would record it: every kind of block, in the order in which
// torch allocates and frees them, with the expected category of each.
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
  bool checkpointing = false;    // each layer's forward is recomputed in its backward
  bool backward_ranges = false;  // modules are recorded in backward too
  bool cross_check = false;      // reports of an independent count
};

struct TrainingRun {
  Recording recording;
  std::vector<Expected> expected;  // of each block, in order of birth
};

TrainingRun make_training_run(const TrainingOptions& options = {});

}  // namespace strata::analysis::testing
