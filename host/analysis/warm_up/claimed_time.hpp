// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

namespace strata::analysis {

// Intervals of wall time, each assigned to its first claimant.
class ClaimedTime {
 public:
  // Returns how much of begin_ns to end_ns was not claimed before.
  std::int64_t claim(std::int64_t begin_ns, std::int64_t end_ns);

 private:
  std::map<std::int64_t, std::int64_t> intervals_;  // begin to end, disjoint
};

}  // namespace strata::analysis
