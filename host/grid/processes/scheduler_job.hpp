// SPDX-License-Identifier: Apache-2.0
// The scheduler job that contains this process.
#pragma once

#include <string>

namespace strata::grid {

// In the form of squeue: "12", or "12_3" for a task of an array; for Flux, its id. Empty if there is none.
std::string this_job();

}  // namespace strata::grid
