// SPDX-License-Identifier: Apache-2.0
// The rows of the plugin warmup_analyzer, as in docs/run-store.md; texts are indices into Recording::texts.
#pragma once

#include <cstdint>
#include <vector>

namespace strata::analysis {

enum class SampleEdge : std::uint32_t {
  kRunBegin,
  kRunReady,
  kStepBegin,
  kStepEnd,
  kPhaseBegin,
  kPhaseEnd,
};

// Counters that only grow; the difference of two samples shows what happened between them.
struct Counters {
  std::int64_t thread_cpu_ns = 0;
  std::int64_t thread_wait_ns = -1;  // -1: unknown
  std::int64_t thread_minor_faults = 0, thread_major_faults = 0;
  std::int64_t minor_faults = 0, major_faults = 0;
  std::int64_t involuntary_switches = 0;
  std::int64_t children_cpu_ns = 0;
  std::int64_t libraries = 0;
  std::int64_t threads = 0;  // may also decrease
};

struct CounterSample {
  std::int64_t ns = 0;
  std::uint32_t thread = 0;
  SampleEdge edge{};
  std::uint32_t phase = 0;  // ordinal
  Counters counters;
};

struct OpenedLibrary {
  std::int64_t ns = 0;  // when it was detected
  std::uint32_t path = 0;
};

struct OperatorCall {
  std::int64_t begin_ns = 0, end_ns = 0, self_ns = 0;
  std::int64_t minor_faults = 0, libraries = 0;
  std::uint32_t thread = 0;
  std::uint32_t name = 0;
  bool is_first = false;
};

struct OperatorTime {
  std::int64_t step = 0;
  std::uint32_t name = 0;
  std::uint64_t calls = 0;
  std::int64_t self_ns = 0;
};

struct StartActivity {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::uint64_t bytes = 0;
  std::uint32_t thread = 0;
  std::uint32_t kind = 0, detail = 0;  // STRATA_ACTIVITY_*
  std::uint32_t name = 0;
  bool is_modelled = false;
};

struct WarmUpRows {
  bool is_recorded = false;  // the plugin was loaded
  std::vector<CounterSample> samples;
  std::vector<OpenedLibrary> libraries;
  std::vector<OperatorCall> calls;
  std::vector<OperatorTime> operators;
  std::vector<StartActivity> activities;  // by begin
  std::int64_t longest_activity_ns = 0;
  double page_fault_ns = 0.0, thread_start_ns = 0.0;  // of one; 0: not measured
};

}  // namespace strata::analysis
