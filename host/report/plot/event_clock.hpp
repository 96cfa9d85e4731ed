// SPDX-License-Identifier: Apache-2.0
// Replaces a run's time axis by event numbers, as pytorch.org/memory_viz does.
#pragma once

#include "host/analysis/facts/memory_facts.hpp"

namespace strata::report::plot {

// The same facts with event numbers in place of all times used in a memory timeline: of points, steps,
// phases, the window, the peak, and reserved memory. An event is an allocation or a free.
analysis::MemoryFacts with_event_clock(analysis::MemoryFacts facts);

}  // namespace strata::report::plot
