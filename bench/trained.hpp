// SPDX-License-Identifier: Apache-2.0
// A training run in a benchmark's own process, so that runs with and without a feature can alternate.
#pragma once

#include <cstddef>
#include <vector>

#include "host/config/run_config.hpp"
#include "strata/runtime/options.hpp"

namespace strata::bench {

// The median of `values`, which must not be empty; for an even number, the upper of the two in the
// middle.
double median(std::vector<double> values);

// Initializes the device of `config`, once per process. Throws std::runtime_error.
void start_device(const config::RunConfig& config);

// The milliseconds of each step after the first `warm_up`, from one run of the trainer in its own
// session. Throws std::runtime_error if the run fails.
std::vector<double> train(const config::RunConfig& config, SessionOptions options, std::size_t warm_up);

}  // namespace strata::bench
