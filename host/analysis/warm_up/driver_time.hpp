// SPDX-License-Identifier: Apache-2.0
// The measured one-time work of a device's driver.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "host/analysis/facts/warm_up.hpp"
#include "host/analysis/warm_up/causes.hpp"
#include "host/analysis/warm_up/claimed_time.hpp"

namespace strata::analysis {

struct Recording;

class DriverTime {
 public:
  // `claimed`: time already assigned; time assigned here is added. Both outlive this.
  DriverTime(const Recording& run, ClaimedTime& claimed) : run_(run), claimed_(claimed) {}

  // Adds activities from begin_ns to end_ns, each moment for its innermost activity, because overheads and
  // compilations lie within calls. On `thread`; 0: on any.
  void add(std::int64_t begin_ns, std::int64_t end_ns, std::uint32_t thread);
  // The causes with a time, over everything that was added.
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
