// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/ranks/job_facts.hpp"
#include "host/export/output.hpp"
#include "host/export/trace/trace_events.hpp"

namespace strata::exports {

// Exports a run as a trace in Chrome's format (JSON object), for ui.perfetto.dev, chrome://tracing and other
// readers.
// Counters: bytes of each category, total, and reserved. Slices: steps, micro-batches, phases. Spans: the
// largest blocks at the peak, from birth to death. Instants: the 1,000 largest allocations. Times are in
// microseconds since the run's begin.
void write_chrome(const analysis::Facts& facts, Output& output, const Progress& progress = {});

// The events of one rank in a multi-rank trace, without the enclosing JSON.
void write_chrome_rank(const analysis::Facts& facts, const RankInTrace& rank, bool is_first, Output& output,
                       const Progress& progress = {});

// Exports all ranks of a job as one trace in Chrome's format: one process per rank, with a common clock.
// Reads the ranks of `job` again, one after the other. Times are in microseconds since the first rank began,
// on its clock. `otherData` lists lost ranks and how the clocks were related. Throws like analyse.
void write_chrome_ranks(const analysis::JobFacts& job, Output& output, const Progress& progress = {});

// The times in a trace, in the layout of torch.profiler (Kineto), so that its readers can be used:
// HolisticTraceAnalysis, Perfetto.
// Operators, calls and annotations by thread, device activities by stream, and the arrows between them.
// Writes nothing for a run without times. `process` is the one of the host's threads.
void write_times(const analysis::Facts& facts, std::uint64_t process, TraceEvents& events, RowCount& rows);

}  // namespace strata::exports
