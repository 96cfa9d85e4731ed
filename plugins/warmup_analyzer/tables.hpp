// SPDX-License-Identifier: Apache-2.0
// The analyzer's rows and tables (docs/run-store.md). Conclusions are drawn later, in host/analysis/warm_up.
#pragma once

#include <cstdint>

#include "strata/table.hpp"

namespace strata::warmup_analyzer {

// When a sample of the counters was taken.
enum class Edge : std::uint32_t {
  kRunBegin = 0,
  kRunReady = 1,
  kStepBegin = 2,
  kStepEnd = 3,
  kPhaseBegin = 4,
  kPhaseEnd = 5,
};

struct SampleRow {
  std::uint64_t sequence;
  std::int64_t monotonic_ns;
  std::uint32_t thread;
  std::uint32_t edge;
  std::uint32_t phase;
  std::uint32_t threads;
  std::int64_t thread_cpu_ns;
  std::int64_t thread_wait_ns;
  std::uint64_t thread_minor_faults;
  std::uint64_t thread_major_faults;
  std::uint64_t minor_faults;
  std::uint64_t major_faults;
  std::uint64_t involuntary_switches;
  std::int64_t children_cpu_ns;
  std::uint64_t libraries;
};

struct LibraryRow {
  std::uint64_t sequence;
  std::int64_t monotonic_ns;
  std::uint32_t path;
  std::uint32_t reserved;
};

struct CallRow {
  std::uint64_t sequence;
  std::int64_t begin_ns;
  std::int64_t end_ns;
  std::int64_t self_ns;
  std::uint64_t minor_faults;
  std::uint64_t libraries;
  std::uint32_t thread;
  std::uint32_t name;
  std::uint32_t first;
  std::uint32_t phase;
};

struct OperatorRow {
  std::uint64_t step;
  std::uint64_t calls;
  std::int64_t self_ns;
  std::uint32_t name;
  std::uint32_t reserved;
};

struct ActivityRow {
  std::uint64_t sequence;
  std::int64_t begin_ns;
  std::int64_t end_ns;
  std::uint64_t bytes;
  std::uint32_t thread;
  std::uint32_t kind;
  std::uint32_t detail;
  std::uint32_t name;
  std::uint32_t modelled;
  std::uint32_t reserved;
};

struct CostRow {
  double ns;
  std::uint64_t count;
  std::uint32_t what;
  std::uint32_t reserved;
};

// [loop-thread] Each throws std::runtime_error if the host rejects the table.
Table<SampleRow> sample_table(const Host& host);
Table<LibraryRow> library_table(const Host& host);
Table<CallRow> call_table(const Host& host);
Table<OperatorRow> operator_table(const Host& host);
Table<ActivityRow> activity_table(const Host& host);
Table<CostRow> cost_table(const Host& host);

}  // namespace strata::warmup_analyzer
