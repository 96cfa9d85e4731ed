// SPDX-License-Identifier: Apache-2.0
// Runs whose batches nobody marks.
#pragma once

#include "tests/analysis/training_run.hpp"

namespace strata::analysis::testing {

// Of an optimizer that names nothing: a batch is born in its first phase.
TrainingRun make_nameless_optimizer_run();

// Of several optimizers in each turn of the loop, which name nothing, or in a step that the program marks.
TrainingRun make_nameless_optimizers_run();
TrainingRun make_two_optimizers_run();

// Of a trainer that marks no data phase: batches are made in the step, before forward.
TrainingRun make_unmarked_batch_run();

}  // namespace strata::analysis::testing
