// SPDX-License-Identifier: Apache-2.0
// The possible causes of a slow step, and how each is detected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "host/analysis/facts/warm_up.hpp"

namespace strata::analysis {

inline constexpr std::size_t kCauses = static_cast<std::size_t>(Cause::kSharedLibraries) + 1;

// The reliability of its time.
enum class Certainty : std::uint8_t {
  kTimed,       // measured directly
  kDifference,  // difference from the same in steady steps
  kEstimated,   // a count times the cost of one
  kAtMost,      // the otherwise unexplained extra time of the phase in which it happened
};

struct CauseDescription {
  std::string_view id;  // in JSON; titles are in host/report/words
  Certainty certainty;
  Detector detector;
};

const CauseDescription& describe(Cause cause);

// "timed", "difference", "estimated", "at_most".
std::string_view to_string(Certainty certainty);
// "activities", "operators", "counters", "phases".
std::string_view to_string(Detector detector);

// The cause of an activity of a device's driver. `api` is the name of an API call.
Cause cause_of_activity(std::uint32_t kind, std::uint32_t detail, std::string_view api);

// The cause of an operator's first call, by its name.
Cause cause_of_operator(std::string_view name);

}  // namespace strata::analysis
