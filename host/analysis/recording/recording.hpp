// SPDX-License-Identifier: Apache-2.0
// The rows of one run store, typed and in order, without any conclusions. docs/run-store.md defines the
// columns; texts are indices into `texts`, never the store's own ids.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/facts/call_stacks.hpp"
#include "host/analysis/facts/cuda_allocator.hpp"
#include "host/analysis/facts/other_memory.hpp"
#include "host/analysis/facts/point.hpp"
#include "host/analysis/facts/run_facts.hpp"
#include "host/analysis/facts/samples.hpp"
#include "host/analysis/facts/time_rows.hpp"
#include "host/analysis/recording/memory_rows.hpp"
#include "host/analysis/recording/structure_rows.hpp"
#include "host/analysis/recording/texts.hpp"
#include "host/analysis/recording/warm_up_rows.hpp"

namespace strata::analysis {

// Data to read in addition to those for reports.
enum class ReadingDetail { kReport, kAllocator };

struct Recording : RunFacts {
  std::filesystem::path directory;
  Device device;  // the device of the rows below
  std::uint64_t first_step = 0, last_step = 0;
  bool closed = false;  // the run reached its end
  Texts texts;
  // Steps by index, the rest by sequence.
  std::vector<StepRow> steps;
  std::vector<PhaseRow> phases;
  std::vector<ModuleRow> modules;
  std::vector<TensorRow> tensors;
  std::vector<MemoryRow> memory;     // ALLOCATE and FREE, with real block sizes
  std::vector<FailureRow> failures;  // of allocations
  bool ran_out_elsewhere = false;  // another device ran out of memory, and nothing was allocated there since
  std::vector<OtherMemory> other_memory;
  std::vector<ReservedPoint> reserved;  // empty: the allocator does not cache
  // All events of the device's allocator, unchanged, with ReadingDetail::kAllocator.
  std::vector<MemoryRow> allocator_events;
  std::optional<std::string> allocator_settings;  // as in PYTORCH_CUDA_ALLOC_CONF; empty: unknown
  // Made by the program later.
  std::vector<AllocatorSettingsChange> allocator_settings_changes;
  CudaAllocator cuda_allocator;
  std::vector<OpRow> ops;
  std::vector<SavedTensorRow> saved;
  std::vector<SnapshotNoteRow> snapshot_notes;
  CallStacks call_stacks;
  bool cross_checked = false;  // reports were enabled, even if none arrived
  std::vector<MemoryReportRow> reports;
  Samples samples;
  bool stats_recorded = false;  // DeviceStats were enabled, even if there is no device
  std::vector<DeviceStatsRow> device_stats;
  std::vector<LayerOutputRow> layer_outputs;  // in file order
  std::vector<EpochRow> epochs;               // empty: the trainer does not count epochs
  WarmUpRows warm_up;
  TimeRows time;
};

}  // namespace strata::analysis
