// SPDX-License-Identifier: Apache-2.0
// What operators' first calls, and later ones that took far longer than usual, took more in a phase.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/analysis/facts/warm_up.hpp"
#include "host/analysis/warm_up/claimed_time.hpp"
#include "host/analysis/warm_up/operator_times.hpp"
#include "host/analysis/warm_up/step_parts.hpp"

namespace strata::analysis {

struct Recording;

// Calls of one cause.
struct CallFamily {
  Cause cause{};
  double ns = 0.0;  // without page faults
  std::uint64_t calls = 0;
  std::string text;  // the longest of them
};

struct CallExcess {
  std::vector<CallFamily> families;
  double faults = 0.0, fault_ns = 0.0;  // page faults in them
  double libraries = 0.0;               // opened in them
};

struct CallsOfPhase {
  const Part& part;
  std::uint32_t thread = 0;  // whose calls count; 0: all threads'
  double faults = 0.0;       // of the phase, more than usual: no more of them are said of calls
  double waited_ns = 0.0;    // in the phase for a processor: later calls were longer by it, as far as it goes
};

// Time that `claimed` has given out is left out, and what is given out here is noted there.
CallExcess call_excess(const CallsOfPhase& calls, const Recording& run, const OperatorTimes& operators,
                       ClaimedTime& claimed);

}  // namespace strata::analysis
