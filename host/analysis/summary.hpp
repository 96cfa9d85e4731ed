// SPDX-License-Identifier: Apache-2.0
// summary.json: the main numbers of a run for scripts, grids and gates. docs/summary.md describes it.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/facts/finding.hpp"

namespace strata::analysis {

struct Facts;

inline constexpr const char* kSummarySchema = "strata.summary/2";

// JSON text ending in a newline that conforms to host/analysis/summary.schema.json. `warnings`: the sentences
// of the facts' warnings.
std::string summary_json(const Facts& facts, FindingText text_of, const std::vector<std::string>& warnings);

}  // namespace strata::analysis
