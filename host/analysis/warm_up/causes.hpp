// SPDX-License-Identifier: Apache-2.0
// What can make a step slower than a steady one, and how each of these is seen.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "host/analysis/facts/warm_up.hpp"

namespace strata::analysis {

inline constexpr std::size_t kCauses = static_cast<std::size_t>(Cause::kSharedLibraries) + 1;

// How sure its time is.
enum class Certainty : std::uint8_t {
  kTimed,       // it was timed itself
  kDifference,  // what it took more than the same takes in steady steps
  kEstimated,   // so many, times what one takes
  kAtMost,      // what the phase that it happened in took more, and nothing else explains
};

struct CauseDescription {
  std::string_view id;     // as in JSON
  std::string_view title;  // as in tables
  Certainty certainty;
  Detector detector;
};

const CauseDescription& describe(Cause cause);

// "timed", "difference", "estimated", "at_most".
std::string_view to_string(Certainty certainty);
// "activities", "operators", "counters", "phases".
std::string_view to_string(Detector detector);

// The cause that an activity of a device's driver is of. `api` is the name of an API call.
Cause cause_of_activity(std::uint32_t kind, std::uint32_t detail, std::string_view api);

// The cause that an operator's first call is of, by its name.
Cause cause_of_operator(std::string_view name);

}  // namespace strata::analysis
