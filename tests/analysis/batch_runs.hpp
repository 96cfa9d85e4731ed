// SPDX-License-Identifier: Apache-2.0
// Runs whose batches are not registered.
#pragma once

#include "tests/analysis/training_run.hpp"

namespace strata::analysis::testing {

// A run whose optimizer registers nothing: a batch is born in its first phase.
TrainingRun make_nameless_optimizer_run();

// Several optimizers that register nothing in each iteration of the loop, or in a step that the program
// marks.
TrainingRun make_nameless_optimizers_run();
TrainingRun make_two_optimizers_run();

// A trainer that marks no data phase: batches are made in the step, before forward.
TrainingRun make_unmarked_batch_run();

}  // namespace strata::analysis::testing
