// SPDX-License-Identifier: Apache-2.0
// What a device's driver did once, as it was timed.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "host/analysis/facts/warm_up.hpp"
#include "host/analysis/warm_up/causes.hpp"
#include "host/analysis/warm_up/claimed_time.hpp"

namespace strata::analysis {

struct Recording;

class DriverTime {
 public:
  // `claimed`: time that was given out before, and what is given out here. Both outlive this.
  DriverTime(const Recording& run, ClaimedTime& claimed) : run_(run), claimed_(claimed) {}

  // What was done from begin_ns to end_ns, each moment for its innermost activity: overheads and compilations
  // lie within calls. On `thread`; 0: on any.
  void add(std::int64_t begin_ns, std::int64_t end_ns, std::uint32_t thread);
  // Of all that was added, those with a time.
  std::vector<CauseShare> shares() const;

 private:
  struct Sum {
    double ns = 0.0;
    std::uint64_t count = 0, bytes = 0, modules = 0;
    std::int64_t longest_ns = 0;
    std::string longest;
  };
  const Recording& run_;
  ClaimedTime& claimed_;
  std::array<Sum, kCauses> sums_{};
};

}  // namespace strata::analysis
