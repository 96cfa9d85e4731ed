// SPDX-License-Identifier: Apache-2.0
// A training run within a benchmark's own process, so that runs with and without something take turns.
#pragma once

#include <cstddef>
#include <vector>

#include "host/config/run_config.hpp"
#include "strata/runtime/options.hpp"

namespace strata::bench {

// Of `values`, which are not empty; of an even number, the upper of the two in the middle.
double median(std::vector<double> values);

// Initializes the device of `config`, once a process. Throws std::runtime_error.
void start_device(const config::RunConfig& config);

// Milliseconds of each step after the first `warm_up`, of one run of the trainer in a session of its own.
// Throws std::runtime_error when the run does not end well.
std::vector<double> train(const config::RunConfig& config, SessionOptions options, std::size_t warm_up);

}  // namespace strata::bench
