// SPDX-License-Identifier: Apache-2.0
// The part of a trace that tells of time, laid out as torch.profiler's (Kineto's) traces are, so that what
// reads those reads it: HolisticTraceAnalysis, Perfetto.
#pragma once

#include "host/analysis/facts/forward.hpp"
#include "host/export/trace/trace_events.hpp"

namespace strata::exports {

// Operators, calls and annotations by thread, what devices did by stream, and the arrows between them.
// Nothing of a run without times. `process` is the one of the host's threads.
void write_times(const analysis::Facts& facts, std::uint64_t process, TraceEvents& events, RowCount& rows);

}  // namespace strata::exports
