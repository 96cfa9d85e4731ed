// SPDX-License-Identifier: Apache-2.0
// Selects the ranks of a job that a terminal shows individually.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/analysis/ranks/job_facts.hpp"

namespace strata::report {

// All if there are up to 16; otherwise the notable ones: the first, the heaviest and the lightest, the one
// with most Unknown memory, stragglers, and those that did not complete. Indices into the job's ranks.
std::vector<std::size_t> shown_ranks(const analysis::JobFacts& job);

// All if there are up to `most`; otherwise those shown on a terminal, and others at even intervals. In order.
std::vector<std::size_t> drawn_ranks(const analysis::JobFacts& job, std::size_t most);

// "0-3, 7": rank numbers or steps, in order.
template <typename Number>
std::string ranges_text(const std::vector<Number>& numbers) {
  std::string text;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(numbers[first]);
    if (last > first) text += (last == first + 1 ? ", " : "-") + std::to_string(numbers[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace strata::report
