// SPDX-License-Identifier: Apache-2.0
#include "plugins/warmup_analyzer/tables.hpp"

#include <cstddef>

namespace strata::warmup_analyzer {
namespace {

constexpr const char* kSequenceHelp = "of the event that it was noticed at";
constexpr const char* kTimeHelp = "CLOCK_MONOTONIC";
constexpr const char* kThreadHelp = "the OS's thread id";
constexpr const char* kPhaseHelp = "ordinal of the driver's innermost phase; 0: none";

}  // namespace

Table<SampleRow> sample_table(const Host& host) {
  return {
      host,
      "sample",
      "what the process's counters stood at, where the run, a step or a phase begins or ends",
      {STRATA_COLUMN(SampleRow, sequence, STRATA_COLUMN_UINT64, "", kSequenceHelp),
       STRATA_COLUMN(SampleRow, monotonic_ns, STRATA_COLUMN_INT64, "ns", kTimeHelp),
       STRATA_COLUMN(SampleRow, thread, STRATA_COLUMN_UINT32, "", "the driver's; whose `thread_` is said of"),
       STRATA_COLUMN(SampleRow, edge, STRATA_COLUMN_UINT32, "",
                     "begin of the run 0, its readiness 1, a step's begin 2 and end 3, a phase's 4 and 5"),
       STRATA_COLUMN(SampleRow, phase, STRATA_COLUMN_UINT32, "", "that begins or ends; else 0"),
       STRATA_COLUMN(SampleRow, threads, STRATA_COLUMN_UINT32, "", "of the process; 0: not known"),
       STRATA_COLUMN(SampleRow, thread_cpu_ns, STRATA_COLUMN_INT64, "ns",
                     "processor time that the thread has had"),
       STRATA_COLUMN(SampleRow, thread_wait_ns, STRATA_COLUMN_INT64, "ns",
                     "that it was ready to run and got no processor; -1: not known"),
       STRATA_COLUMN(SampleRow, thread_minor_faults, STRATA_COLUMN_UINT64, "",
                     "page faults of the thread that read no file"),
       STRATA_COLUMN(SampleRow, thread_major_faults, STRATA_COLUMN_UINT64, "", "that waited for a file"),
       STRATA_COLUMN(SampleRow, minor_faults, STRATA_COLUMN_UINT64, "", "the same of all threads"),
       STRATA_COLUMN(SampleRow, major_faults, STRATA_COLUMN_UINT64, "", "the same of all threads"),
       STRATA_COLUMN(SampleRow, involuntary_switches, STRATA_COLUMN_UINT64, "",
                     "that threads of the process lost a processor to others"),
       STRATA_COLUMN(SampleRow, children_cpu_ns, STRATA_COLUMN_INT64, "ns",
                     "processor time of child processes that were waited for"),
       STRATA_COLUMN(SampleRow, libraries, STRATA_COLUMN_UINT64, "",
                     "shared libraries that were ever mapped")}};
}

Table<LibraryRow> library_table(const Host& host) {
  return {host,
          "library",
          "a shared library that was mapped since the sample, or the operator, before",
          {STRATA_COLUMN(LibraryRow, sequence, STRATA_COLUMN_UINT64, "", kSequenceHelp),
           STRATA_COLUMN(LibraryRow, monotonic_ns, STRATA_COLUMN_INT64, "ns", kTimeHelp),
           STRATA_COLUMN(LibraryRow, path, STRATA_COLUMN_STRING, "", "its file")}};
}

Table<CallRow> call_table(const Host& host) {
  return {host,
          "call",
          "an operator's first call, or one that took far longer than its others",
          {STRATA_COLUMN(CallRow, sequence, STRATA_COLUMN_UINT64, "", "of its end"),
           STRATA_COLUMN(CallRow, begin_ns, STRATA_COLUMN_INT64, "ns", kTimeHelp),
           STRATA_COLUMN(CallRow, end_ns, STRATA_COLUMN_INT64, "ns", kTimeHelp),
           STRATA_COLUMN(CallRow, self_ns, STRATA_COLUMN_INT64, "ns", "without the operators that it called"),
           STRATA_COLUMN(CallRow, minor_faults, STRATA_COLUMN_UINT64, "",
                         "page faults of its thread within it, those of what it called too"),
           STRATA_COLUMN(CallRow, libraries, STRATA_COLUMN_UINT64, "",
                         "shared libraries mapped within it, those of what it called too"),
           STRATA_COLUMN(CallRow, thread, STRATA_COLUMN_UINT32, "", kThreadHelp),
           STRATA_COLUMN(CallRow, name, STRATA_COLUMN_STRING, "", "the framework's name for it"),
           STRATA_COLUMN(CallRow, first, STRATA_COLUMN_UINT32, "", "1: its first; 0: far longer than others"),
           STRATA_COLUMN(CallRow, phase, STRATA_COLUMN_UINT32, "", kPhaseHelp)}};
}

Table<OperatorRow> operator_table(const Host& host) {
  return {host,
          "operator",
          "the calls of an operator, on all threads, in one step",
          {STRATA_COLUMN(OperatorRow, step, STRATA_COLUMN_UINT64, "", "index of the step"),
           STRATA_COLUMN(OperatorRow, name, STRATA_COLUMN_STRING, "", "the framework's name for it"),
           STRATA_COLUMN(OperatorRow, calls, STRATA_COLUMN_UINT64, "", "that ended in the step"),
           STRATA_COLUMN(OperatorRow, self_ns, STRATA_COLUMN_INT64, "ns",
                         "of all of them, without the operators that they called")}};
}

Table<ActivityRow> activity_table(const Host& host) {
  return {host,
          "activity",
          "time that a device's driver or profiler took for itself, or code that became loaded",
          {STRATA_COLUMN(ActivityRow, sequence, STRATA_COLUMN_UINT64, "", "of its delivery"),
           STRATA_COLUMN(ActivityRow, begin_ns, STRATA_COLUMN_INT64, "ns", kTimeHelp),
           STRATA_COLUMN(ActivityRow, end_ns, STRATA_COLUMN_INT64, "ns", kTimeHelp),
           STRATA_COLUMN(ActivityRow, thread, STRATA_COLUMN_UINT32, "", kThreadHelp),
           STRATA_COLUMN(ActivityRow, kind, STRATA_COLUMN_UINT32, "", "STRATA_ACTIVITY_*"),
           STRATA_COLUMN(ActivityRow, detail, STRATA_COLUMN_UINT32, "", "by kind, as in activity.h"),
           STRATA_COLUMN(ActivityRow, name, STRATA_COLUMN_STRING, "", "of an API call: the function's"),
           STRATA_COLUMN(ActivityRow, bytes, STRATA_COLUMN_UINT64, "bytes", "of a module: its size"),
           STRATA_COLUMN(ActivityRow, modelled, STRATA_COLUMN_UINT32, "",
                         "1 when a dry device computed the times")}};
}

Table<CostRow> cost_table(const Host& host) {
  return {host,
          "cost",
          "what one of something takes here, measured at the run's begin",
          {STRATA_COLUMN(CostRow, what, STRATA_COLUMN_STRING, "", "page_fault, thread_start"),
           STRATA_COLUMN(CostRow, ns, STRATA_COLUMN_REAL, "ns",
                         "processor time of one; of a thread, until it runs"),
           STRATA_COLUMN(CostRow, count, STRATA_COLUMN_UINT64, "", "how many were measured")}};
}

}  // namespace strata::warmup_analyzer
