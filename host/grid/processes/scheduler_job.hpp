// SPDX-License-Identifier: Apache-2.0
// The job of a scheduler that this process is part of.
#pragma once

#include <string>

namespace strata::grid {

// As squeue names it, "12" or "12_3" for a task of an array; of Flux, its id. Empty: of none that is known.
std::string this_job();

}  // namespace strata::grid
