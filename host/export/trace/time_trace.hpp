// SPDX-License-Identifier: Apache-2.0
// The times in a trace, in the layout of torch.profiler (Kineto), so that its readers can be used:
// HolisticTraceAnalysis, Perfetto.
#pragma once

#include "host/analysis/facts/forward.hpp"
#include "host/export/trace/trace_events.hpp"

namespace strata::exports {

// Operators, calls and annotations by thread, device activities by stream, and the arrows between them.
// Writes nothing for a run without times. `process` is the one of the host's threads.
void write_times(const analysis::Facts& facts, std::uint64_t process, TraceEvents& events, RowCount& rows);

}  // namespace strata::exports
