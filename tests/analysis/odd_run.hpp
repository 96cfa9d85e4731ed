// SPDX-License-Identifier: Apache-2.0
// Runs that the host's trainer does not make: at least one block for every rule of the table that its runs
// leave unused.
#pragma once

#include "tests/analysis/training_run.hpp"

namespace strata::analysis::testing {

// Every role, every stage, and blocks that nobody can know.
TrainingRun make_odd_run();

// Graphs that are held beyond their backward, or dropped without one.
TrainingRun make_retained_run();

// Runs that died in a forward, and in an optimizer's first step.
TrainingRun make_cut_short_run();
TrainingRun make_cut_short_optimizer_run();
TrainingRun make_cut_short_behind_optimizer_run();

// Of a program that catches a forward's failures and goes forward anew, in the same phase or in another; and
// whose library does with less where an allocation fails.
TrainingRun make_caught_failures_run();

}  // namespace strata::analysis::testing
