// SPDX-License-Identifier: Apache-2.0
// The pictures of a page of ranks: HTML with SVG in it, which needs no script.
#pragma once

#include <string>
#include <string_view>

#include "host/analysis/ranks/job_facts.hpp"

namespace strata::report {

std::string html_text(std::string_view text);  // escaped, and printable

// A bar a rank: its peak by category.
std::string category_bars_picture(const analysis::JobFacts& job);
// A row a rank, a cell a step: by how much it was slower than the middle one. Empty without such steps.
std::string slowness_picture(const analysis::JobFacts& job);
// The job's shown step, a row a rank, its phases on one clock. Empty without one.
std::string step_picture(const analysis::JobFacts& job);

}  // namespace strata::report
