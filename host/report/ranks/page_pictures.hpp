// SPDX-License-Identifier: Apache-2.0
// The pictures on a page of ranks: HTML with SVG, which needs no script.
#pragma once

#include <string>
#include <string_view>

#include "host/analysis/ranks/job_facts.hpp"

namespace strata::report {

std::string html_text(std::string_view text);  // escaped and printable

// One bar per rank: its peak by category.
std::string category_bars_picture(const analysis::JobFacts& job);
// One row per rank, one cell per step: how much slower it was than the median rank. Empty without such steps.
std::string slowness_picture(const analysis::JobFacts& job);
// The job's shown step, one row per rank, with phases on a common clock. Empty if there is none.
std::string step_picture(const analysis::JobFacts& job);

}  // namespace strata::report
