// SPDX-License-Identifier: Apache-2.0
// The current state of a running run, as JSON for scripts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/live/live_rank.hpp"

namespace strata::analysis {

// One object on one line, with schema strata.top/1 (docs/top.md).
std::string live_document(std::string_view run_directory, const std::vector<LiveRank>& ranks);

}  // namespace strata::analysis
