// SPDX-License-Identifier: Apache-2.0
// What the page, the terminal and the JSON say about the causes of slow steps.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/facts/warm_up.hpp"

namespace strata::report {

// "CUDA context", as in the table of docs/warm-up.md.
std::string_view cause_title(analysis::Cause cause);

// "data took 301.0 ms, 1.0 ms in steady steps; 2.0 ms of it at work"; empty without proofs. Names in it are
// as they were recorded: to be made safe for where they are shown.
std::string proof_text(const std::vector<analysis::Proof>& proofs);

}  // namespace strata::report
