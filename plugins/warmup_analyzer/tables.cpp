// SPDX-License-Identifier: Apache-2.0
#include "plugins/warmup_analyzer/tables.hpp"

#include <cstddef>

namespace strata::warmup_analyzer {
namespace {

constexpr const char* kSequenceHelp = "sequence number of the event at which it was noticed";
constexpr const char* kTimeHelp = "CLOCK_MONOTONIC";
constexpr const char* kThreadHelp = "the OS's thread id";
constexpr const char* kPhaseHelp = "ordinal of the driver's innermost phase; 0: none";

}  // namespace

Table<SampleRow> sample_table(const Host& host) {
  return {
      host,
      "sample",
      "the process's counters where the run, a step or a phase begins or ends",
      {STRATA_COLUMN(SampleRow, sequence, STRATA_COLUMN_UINT64, "", kSequenceHelp),
       STRATA_COLUMN(SampleRow, monotonic_ns, STRATA_COLUMN_INT64, "ns", kTimeHelp),
       STRATA_COLUMN(SampleRow, thread, STRATA_COLUMN_UINT32, "",
                     "the driver's thread, to which the columns `thread_*` belong"),
       STRATA_COLUMN(SampleRow, edge, STRATA_COLUMN_UINT32, "",
                     "begin of the run 0, its readiness 1, a step's begin 2 and end 3, a phase's 4 and 5"),
       STRATA_COLUMN(SampleRow, phase, STRATA_COLUMN_UINT32, "",
                     "ordinal of the phase that begins or ends; else 0"),
       STRATA_COLUMN(SampleRow, threads, STRATA_COLUMN_UINT32, "", "of the process; 0: unknown"),
       STRATA_COLUMN(SampleRow, thread_cpu_ns, STRATA_COLUMN_INT64, "ns", "processor time of the thread"),
       STRATA_COLUMN(SampleRow, thread_wait_ns, STRATA_COLUMN_INT64, "ns",
                     "time in which the thread was ready to run but had no processor; -1: unknown"),
       STRATA_COLUMN(SampleRow, thread_minor_faults, STRATA_COLUMN_UINT64, "",
                     "page faults of the thread without reading a file"),
       STRATA_COLUMN(SampleRow, thread_major_faults, STRATA_COLUMN_UINT64, "",
                     "page faults of the thread that waited for a file"),
       STRATA_COLUMN(SampleRow, minor_faults, STRATA_COLUMN_UINT64, "", "the same for all threads"),
       STRATA_COLUMN(SampleRow, major_faults, STRATA_COLUMN_UINT64, "", "the same for all threads"),
       STRATA_COLUMN(SampleRow, involuntary_switches, STRATA_COLUMN_UINT64, "",
                     "how often threads of the process lost a processor to others"),
       STRATA_COLUMN(SampleRow, children_cpu_ns, STRATA_COLUMN_INT64, "ns",
                     "processor time of child processes that have ended and were waited for"),
       STRATA_COLUMN(SampleRow, libraries, STRATA_COLUMN_UINT64, "",
                     "number of shared libraries mapped so far")}};
}

Table<LibraryRow> library_table(const Host& host) {
  return {host,
          "library",
          "a shared library that was mapped since the previous sample or operator",
          {STRATA_COLUMN(LibraryRow, sequence, STRATA_COLUMN_UINT64, "", kSequenceHelp),
           STRATA_COLUMN(LibraryRow, monotonic_ns, STRATA_COLUMN_INT64, "ns", kTimeHelp),
           STRATA_COLUMN(LibraryRow, path, STRATA_COLUMN_STRING, "", "its file")}};
}

Table<CallRow> call_table(const Host& host) {
  return {
      host,
      "call",
      "an operator's first call, or a call that took far longer than its other calls",
      {STRATA_COLUMN(CallRow, sequence, STRATA_COLUMN_UINT64, "", "sequence number of its end"),
       STRATA_COLUMN(CallRow, begin_ns, STRATA_COLUMN_INT64, "ns", kTimeHelp),
       STRATA_COLUMN(CallRow, end_ns, STRATA_COLUMN_INT64, "ns", kTimeHelp),
       STRATA_COLUMN(CallRow, self_ns, STRATA_COLUMN_INT64, "ns", "excluding the operators that it called"),
       STRATA_COLUMN(CallRow, minor_faults, STRATA_COLUMN_UINT64, "",
                     "page faults of its thread within it, including the operators that it called"),
       STRATA_COLUMN(CallRow, libraries, STRATA_COLUMN_UINT64, "",
                     "shared libraries mapped within it, including the operators that it called"),
       STRATA_COLUMN(CallRow, thread, STRATA_COLUMN_UINT32, "", kThreadHelp),
       STRATA_COLUMN(CallRow, name, STRATA_COLUMN_STRING, "", "the framework's name for it"),
       STRATA_COLUMN(CallRow, first, STRATA_COLUMN_UINT32, "",
                     "1: the first call; 0: a call far longer than others"),
       STRATA_COLUMN(CallRow, phase, STRATA_COLUMN_UINT32, "", kPhaseHelp)}};
}

Table<OperatorRow> operator_table(const Host& host) {
  return {
      host,
      "operator",
      "the calls of an operator, on all threads, in one step",
      {STRATA_COLUMN(OperatorRow, step, STRATA_COLUMN_UINT64, "", "index of the step"),
       STRATA_COLUMN(OperatorRow, name, STRATA_COLUMN_STRING, "", "the framework's name for it"),
       STRATA_COLUMN(OperatorRow, calls, STRATA_COLUMN_UINT64, "", "number of calls that ended in the step"),
       STRATA_COLUMN(OperatorRow, self_ns, STRATA_COLUMN_INT64, "ns",
                     "time of all calls, excluding the operators that they called")}};
}

Table<ActivityRow> activity_table(const Host& host) {
  return {host,
          "activity",
          "time that a device's driver or profiler used for itself, or code that was loaded",
          {STRATA_COLUMN(ActivityRow, sequence, STRATA_COLUMN_UINT64, "", "sequence number of its delivery"),
           STRATA_COLUMN(ActivityRow, begin_ns, STRATA_COLUMN_INT64, "ns", kTimeHelp),
           STRATA_COLUMN(ActivityRow, end_ns, STRATA_COLUMN_INT64, "ns", kTimeHelp),
           STRATA_COLUMN(ActivityRow, thread, STRATA_COLUMN_UINT32, "", kThreadHelp),
           STRATA_COLUMN(ActivityRow, kind, STRATA_COLUMN_UINT32, "", "STRATA_ACTIVITY_*"),
           STRATA_COLUMN(ActivityRow, detail, STRATA_COLUMN_UINT32, "", "by kind, as in activity.h"),
           STRATA_COLUMN(ActivityRow, name, STRATA_COLUMN_STRING, "", "of an API call: the function's"),
           STRATA_COLUMN(ActivityRow, bytes, STRATA_COLUMN_UINT64, "bytes", "of a module: its size"),
           STRATA_COLUMN(ActivityRow, modelled, STRATA_COLUMN_UINT32, "",
                         "1 if a dry device computed the times")}};
}

Table<CostRow> cost_table(const Host& host) {
  return {host,
          "cost",
          "the cost of one page fault or thread start here, measured at the begin of the run",
          {STRATA_COLUMN(CostRow, what, STRATA_COLUMN_STRING, "", "page_fault, thread_start"),
           STRATA_COLUMN(CostRow, ns, STRATA_COLUMN_REAL, "ns",
                         "processor time of one; for a thread, until it runs"),
           STRATA_COLUMN(CostRow, count, STRATA_COLUMN_UINT64, "", "number measured")}};
}

}  // namespace strata::warmup_analyzer
