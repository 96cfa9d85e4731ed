// SPDX-License-Identifier: Apache-2.0
// The modelled duration of a step on a simulated GPU, if the run had a modelled clock.
#pragma once

#include <optional>

namespace strata::analysis {

struct MemoryFacts;

// Nanoseconds of all device work divided by the number of begun steps, without the host's own time. Empty
// without a modelled clock.
std::optional<double> modelled_step_ns(const MemoryFacts& facts);

}  // namespace strata::analysis
