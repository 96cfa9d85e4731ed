// SPDX-License-Identifier: Apache-2.0
// Runs that the host's trainer does not produce: at least one block for every rule of the table that the
// trainer's runs do not use.
#pragma once

#include "tests/analysis/training_run.hpp"

namespace strata::analysis::testing {

// Every role, every stage, and blocks of unknown use.
TrainingRun make_odd_run();

// Graphs that are held beyond their backward, or discarded without one.
TrainingRun make_retained_run();

// Runs that died in a forward and in an optimizer's first step.
TrainingRun make_cut_short_run();
TrainingRun make_cut_short_optimizer_run();
TrainingRun make_cut_short_behind_optimizer_run();

// A program that catches failures of a forward and retries it, in the same phase or in another; its library
// uses less memory after a failed allocation.
TrainingRun make_caught_failures_run();

}  // namespace strata::analysis::testing
