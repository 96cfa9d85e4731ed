// SPDX-License-Identifier: Apache-2.0
// Reads rows of a store that is being written, in the order of their sequence. Rows of each thread reach the
// store together, so tables are not in that order. Rows too recent for all threads' rows to be present are
// kept back.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "host/analysis/live/live_phases.hpp"
#include "host/analysis/live/table_tail.hpp"
#include "host/analysis/recording/memory_rows.hpp"

namespace strata::analysis {

struct LiveStepEdge {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0, step = 0;
  bool is_end = false;
  std::uint32_t schedule = 0;
  double loss = 0.0;
  std::uint64_t counted = 0;
};

struct LivePhaseEnd {
  std::uint64_t sequence = 0;
  std::uint32_t ordinal = 0;
};

struct LiveTensor {
  TensorRow tensor;
  std::int64_t ns = 0;
};

struct LiveDeviceSample {
  Device device;
  std::uint64_t used_bytes = 0, total_bytes = 0;
};

// The rows since the last call.
struct LiveRows {
  std::vector<LiveStepEdge> steps;  // by sequence
  std::vector<LivePhaseEnd> phase_ends;
  std::vector<LivePhase> phases;
  std::vector<LiveTensor> tensors;  // by sequence
  std::vector<MemoryRow> memory;    // by sequence
  std::vector<LiveDeviceSample> device_samples;
  std::uint64_t resident_bytes = 0, peak_resident_bytes = 0;  // 0: no new sample
  std::int64_t begin_ns = 0;                                  // of the run; 0: not among them
  std::int64_t newest_ns = 0;
  std::uint64_t rows = 0;
  bool caught_up = false;  // no more rows exist
};

// Rows reach the store at most 200 ms after they were appended, unless the machine is too busy.
inline constexpr std::chrono::milliseconds kSettledAfter{400};

class LiveReader {
 public:
  using Clock = std::chrono::steady_clock;

  // Reads until there is nothing new, `deadline` has passed, or some tens of MiB were read. Each read is
  // short, so that the log can be checkpointed in between. If `keep_back` is false, nothing is kept back once
  // everything is read. Throws RunError.
  LiveRows read(const StoreFile& file, Clock::time_point deadline, bool keep_back);

 private:
  bool read_structure(const StoreFile& file, LiveRows& rows);
  bool read_samples(const StoreFile& file, LiveRows& rows);
  bool read_memory(const StoreFile& file, LiveRows& rows);
  bool read_tensors(const StoreFile& file, LiveRows& rows, std::uint64_t sequence);
  template <typename Use>
  bool drain(TableTail& table, const StoreFile& file, Use use);

  Clock::time_point deadline_;
  std::int64_t rows_left_ = 0;
  TableTail run_begin_{"host_run_begin", {"monotonic_ns"}};
  TableTail step_begin_{"host_step_begin", {"sequence", "monotonic_ns", "step", "schedule"}};
  TableTail step_end_{"host_step_end", {"sequence", "monotonic_ns", "step", "loss", "tokens"}};
  TableTail phase_begin_{
      "host_phase_begin",
      {"sequence", "monotonic_ns", "phase", "parent", "kind", "name", "step", "micro_batch"}};
  TableTail phase_end_{"host_phase_end", {"sequence", "phase"}};
  TableTail tensors_{
      "host_tensor",
      {"sequence", "monotonic_ns", "role", "device_type", "device_index", "address", "owner_address"}};
  TableTail device_samples_{"torch_device_memory",
                            {"device_type", "device_index", "used_bytes", "total_bytes"}};
  TableTail resident_{"torch_process_memory", {"resident_bytes", "peak_resident_bytes"}};
  TableTail memory_{"allocator_tracer_event",
                    {"sequence", "monotonic_ns", "action", "device_type", "device_index", "address", "bytes",
                     "phase", "device_handed_out_bytes"}};

  // Read but kept back; in the order of their tables.
  std::vector<LiveTensor> held_tensors_;
  std::vector<MemoryRow> held_memory_;
  std::int64_t newest_ns_ = 0;
  Clock::time_point newest_came_;
};

}  // namespace strata::analysis
