// SPDX-License-Identifier: Apache-2.0
// A run by its events instead of by time, as pytorch.org/memory_viz shows one.
#pragma once

#include "host/analysis/facts/memory_facts.hpp"

namespace strata::report::plot {

// The same facts with an event's number for each time that a memory timeline is drawn from: of points, steps,
// phases, the window, the peak, and what is reserved. An event is an allocation or a free.
analysis::MemoryFacts with_event_clock(analysis::MemoryFacts facts);

}  // namespace strata::report::plot
