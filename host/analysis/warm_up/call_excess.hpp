// SPDX-License-Identifier: Apache-2.0
// The extra time in a phase of operators' first calls, and of later ones that took much longer than usual.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/facts/warm_up.hpp"
#include "host/analysis/warm_up/claimed_time.hpp"
#include "host/analysis/warm_up/operator_times.hpp"
#include "host/analysis/warm_up/step_parts.hpp"

namespace strata::analysis {

struct Recording;

// Calls with the same cause.
struct CallFamily {
  Cause cause{};
  double ns = 0.0;  // without page faults
  std::uint64_t calls = 0;
  std::vector<SlowCall> longest;  // of them; longest first, at most kNamedInProof
};

struct CallExcess {
  std::vector<CallFamily> families;
  double faults = 0.0, fault_ns = 0.0;  // page faults in them
  double libraries = 0.0;               // opened in them
};

struct CallsOfPhase {
  const Part& part;
  std::uint32_t thread = 0;  // count only its calls; 0: those of all threads
  double faults = 0.0;       // in the phase, above the usual number: calls are charged with no more
  double waited_ns =
      0.0;  // waiting for a processor in the phase: accounts for longer later calls, as far as it goes
};

// Omits time already in `claimed`, and adds the time assigned here to it.
CallExcess call_excess(const CallsOfPhase& calls, const Recording& run, const OperatorTimes& operators,
                       ClaimedTime& claimed);

}  // namespace strata::analysis
