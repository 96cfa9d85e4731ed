// SPDX-License-Identifier: Apache-2.0
// The findings of a comparison of ranks, in sentences.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/ranks/job_facts.hpp"

namespace strata::report {

// Each without a line break: missing ranks; slow ranks, with steps, phases and times; differences in memory;
// how the clocks were related.
std::vector<std::string> lost_sentences(const analysis::JobFacts& job);
std::vector<std::string> straggler_sentences(const analysis::JobFacts& job);
std::vector<std::string> imbalance_sentences(const analysis::JobFacts& job);
std::vector<std::string> clock_sentences(const analysis::JobFacts& job);

// "4 of 4 ranks, on 2 machines"
std::string job_size(const analysis::JobFacts& job);

}  // namespace strata::report
