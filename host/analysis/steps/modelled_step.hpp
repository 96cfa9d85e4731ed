// SPDX-License-Identifier: Apache-2.0
// What a dry device takes for a step, where the run gave its work a modelled time.
#pragma once

#include <optional>

namespace strata::analysis {

struct MemoryFacts;

// Nanoseconds of all of the device's work, for each step that was begun. The host's own time is not in it.
// Nothing where no clock was modelled.
std::optional<double> modelled_step_ns(const MemoryFacts& facts);

}  // namespace strata::analysis
