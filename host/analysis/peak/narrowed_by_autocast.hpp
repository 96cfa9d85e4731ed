// SPDX-License-Identifier: Apache-2.0
// What a forward in 32 bits would be less under torch.autocast in 16, by the ops that made its activations.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/facts.hpp"

namespace strata::analysis {

// By block, in bytes, 0 of what is no activation; negative where a copy in 16 bits comes beside what stays.
std::vector<std::int64_t> narrowed_by_autocast(const Facts& facts);

}  // namespace strata::analysis
