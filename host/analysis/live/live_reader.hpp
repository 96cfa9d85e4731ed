// SPDX-License-Identifier: Apache-2.0
// Rows of a store that is being written, in the order of their sequence. Each thread's rows come into the
// store together, so that a table is not in that order; what is too new for all threads' rows to be there is
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

// What came since the last time.
struct LiveRows {
  std::vector<LiveStepEdge> steps;  // by sequence
  std::vector<LivePhaseEnd> phase_ends;
  std::vector<LivePhase> phases;
  std::vector<LiveTensor> tensors;  // by sequence
  std::vector<MemoryRow> memory;    // by sequence
  std::vector<LiveDeviceSample> device_samples;
  std::uint64_t resident_bytes = 0, peak_resident_bytes = 0;  // 0: no sample came
  std::int64_t begin_ns = 0;                                  // of the run; 0: not among them
  std::int64_t newest_ns = 0;
  std::uint64_t rows = 0;
  bool caught_up = false;  // there were no more
};

// Rows are in the store at most 200 ms after they were appended, if the machine has a moment for it.
inline constexpr std::chrono::milliseconds kSettledAfter{400};

class LiveReader {
 public:
  using Clock = std::chrono::steady_clock;

  // Reads until there is nothing new, past `deadline`, or as much as fits into some tens of MiB; each read is
  // short, so that the log that the writer appends to can be folded in between. With `keep_back` false
  // nothing is kept back once all is read. Throws RunError.
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

  // Read, and kept back; in the order of their tables.
  std::vector<LiveTensor> held_tensors_;
  std::vector<MemoryRow> held_memory_;
  std::int64_t newest_ns_ = 0;
  Clock::time_point newest_came_;
};

}  // namespace strata::analysis
