// SPDX-License-Identifier: Apache-2.0
#include "sources/cupti/recording/capture_table.hpp"

namespace strata::cupti {
namespace {

// clang-format off
Table<CaptureRow> capture_table(const Host& host) {
  const auto count = [](const char* name, std::uint32_t offset, const char* help, const char* unit = "") {
    return strata_column{name, STRATA_COLUMN_UINT64, offset, unit, help};
  };
#define COUNT(field, help) count(#field, offsetof(CaptureRow, field), help)
  return {host, "capture", "a part of the run in which device activity was recorded, or the reason why it was not",
          {STRATA_COLUMN(CaptureRow, begin_ns, STRATA_COLUMN_INT64, "ns", "when recording began"),
           STRATA_COLUMN(CaptureRow, end_ns, STRATA_COLUMN_INT64, "ns", "when it ended"),
           COUNT(activities, "reported to plugins"),
           COUNT(kernels, "records of kernels, including those of graph nodes if these are recorded"),
           COUNT(graphs, "records of whole graphs"),
           COUNT(copies, "records of copies"),
           COUNT(sets, "records of memory sets"),
           COUNT(calls, "records of calls of the runtime and the driver"),
           COUNT(launches, "of these, the calls that launch a kernel or a graph"),
           COUNT(answered_launches, "launches for which a kernel or a graph was recorded: all, if nothing is missing"),
           COUNT(dropped, "records that CUPTI dropped because no buffer was free"),
           COUNT(without_times, "records without a time from CUPTI: left out"),
           COUNT(outside_window, "records of activities that ended before the window: left out"),
           COUNT(without_call, "activities without op, phase and module, because their call was not recorded"),
           COUNT(lost_origins, "calls without op, phase and module, because these were discarded before the record came"),
           COUNT(other_records, "records of kinds that Strata does not report"),
           COUNT(buffers, "buffers that CUPTI delivered"),
           COUNT(refused_buffers, "buffers that CUPTI requested but did not get, because all were in use"),
           COUNT(late_buffers, "buffers delivered after recording had ended: discarded"),
           COUNT(broken_buffers, "buffers that ended in an invalid record"),
           count("skipped_bytes", offsetof(CaptureRow, skipped_bytes), "of these", "bytes"),
           STRATA_COLUMN(CaptureRow, clock_uncertainty_ns, STRATA_COLUMN_INT64, "ns",
                         "possible error in reading CUPTI's clock"),
           STRATA_COLUMN(CaptureRow, clock_drift_ns, STRATA_COLUMN_INT64, "ns",
                         "drift of CUPTI's clock against the run's; times are corrected for it"),
           STRATA_COLUMN(CaptureRow, regime, STRATA_COLUMN_UINT32, "",
                         "1: alone, 2: together with other subscribers, 3: another tool uses CUPTI, 4: not available"),
           STRATA_COLUMN(CaptureRow, version, STRATA_COLUMN_UINT32, "", "CUPTI's: 130001 is 13.0 update 1"),
           STRATA_COLUMN(CaptureRow, modelled, STRATA_COLUMN_UINT32, "", "1: a dry device computed the times"),
           STRATA_COLUMN(CaptureRow, library, STRATA_COLUMN_STRING, "", "libcupti's file"),
           STRATA_COLUMN(CaptureRow, holder, STRATA_COLUMN_STRING, "", "name of the tool that uses CUPTI, as it reports it"),
           STRATA_COLUMN(CaptureRow, reason, STRATA_COLUMN_STRING, "", "why nothing was recorded"),
           STRATA_COLUMN(CaptureRow, refused_kinds, STRATA_COLUMN_STRING, "", "kinds that CUPTI does not record")}};
#undef COUNT
}
// clang-format on

}  // namespace

CaptureTable::CaptureTable(const Host& host) : table_(capture_table(host)) {}

void CaptureTable::write(const Circumstances& circumstances, const Recording::Sums& sums) const {
  const RecordCounts& records = sums.records;
  const Library* const library = circumstances.library;
  table_.append({.begin_ns = circumstances.begin_ns,
                 .end_ns = circumstances.end_ns,
                 .activities = records.activities,
                 .kernels = records.kernels,
                 .graphs = records.graphs,
                 .copies = records.copies,
                 .sets = records.sets,
                 .calls = records.calls,
                 .launches = records.launches,
                 .answered_launches = records.answered_launches,
                 .dropped = sums.dropped,
                 .without_times = records.without_times,
                 .outside_window = records.outside_window,
                 .without_call = records.without_call,
                 .lost_origins = records.lost_origins,
                 .other_records = records.other_records,
                 .buffers = sums.buffers.completed,
                 .refused_buffers = sums.buffers.refused,
                 .late_buffers = sums.buffers.late,
                 .broken_buffers = records.broken_buffers,
                 .skipped_bytes = records.skipped_bytes,
                 .clock_uncertainty_ns = sums.clock_uncertainty_ns,
                 .clock_drift_ns = sums.clock_drift_ns,
                 .regime = static_cast<std::uint32_t>(circumstances.regime),
                 .version = library == nullptr ? 0 : library->version,
                 .modelled = library != nullptr && library->is_dry ? 1u : 0u,
                 .library = table_.intern(library == nullptr ? "" : library->path),
                 .holder = table_.intern(circumstances.holder),
                 .reason = table_.intern(circumstances.reason),
                 .refused_kinds = table_.intern(circumstances.refused_kinds)});
}

}  // namespace strata::cupti
