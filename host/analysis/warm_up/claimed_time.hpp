// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

namespace strata::analysis {

// Intervals of wall time, each of which belongs to whoever claimed it first.
class ClaimedTime {
 public:
  // How much of begin_ns to end_ns nobody had claimed before.
  std::int64_t claim(std::int64_t begin_ns, std::int64_t end_ns);

 private:
  std::map<std::int64_t, std::int64_t> intervals_;  // begin to end, apart from each other
};

}  // namespace strata::analysis
