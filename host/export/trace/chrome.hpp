// SPDX-License-Identifier: Apache-2.0
// Exports a run as a trace in Chrome's format (JSON object), for ui.perfetto.dev, chrome://tracing and other
// readers.
#pragma once

#include "host/analysis/facts/forward.hpp"
#include "host/export/output.hpp"
#include "host/export/trace/trace_events.hpp"

namespace strata::exports {

// Counters: bytes of each category, total, and reserved. Slices: steps, micro-batches, phases. Spans: the
// largest blocks at the peak, from birth to death. Instants: the 1,000 largest allocations. Times are in
// microseconds since the run's begin.
void write_chrome(const analysis::Facts& facts, Output& output, const Progress& progress = {});

// The events of one rank in a multi-rank trace (chrome_ranks.hpp), without the enclosing JSON.
void write_chrome_rank(const analysis::Facts& facts, const RankInTrace& rank, bool is_first, Output& output,
                       const Progress& progress = {});

}  // namespace strata::exports
