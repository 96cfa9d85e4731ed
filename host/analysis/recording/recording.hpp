// SPDX-License-Identifier: Apache-2.0
// The rows of one run store, typed and in order, before anything is concluded from them. Columns mean what
// docs/run-store.md says; texts are indices into `texts`, never the store's own ids.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/facts/call_stacks.hpp"
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

// What a reader wants of a store beside what reports are made of.
enum class ReadingDetail { kReport, kAllocator };

struct Recording : RunFacts {
  std::filesystem::path directory;
  Device device;  // the one that the rows below are about
  std::uint64_t first_step = 0, last_step = 0;
  bool closed = false;  // the run reached its end
  Texts texts;
  // Steps by index; everything else by sequence.
  std::vector<StepRow> steps;
  std::vector<PhaseRow> phases;
  std::vector<ModuleRow> modules;
  std::vector<TensorRow> tensors;
  std::vector<MemoryRow> memory;     // ALLOCATE and FREE, of whole blocks
  std::vector<FailureRow> failures;  // of allocations
  bool ran_out_elsewhere = false;    // another device's memory ran out, and nothing was allocated there since
  std::vector<OtherMemory> other_memory;
  std::vector<ReservedPoint> reserved;  // empty: the allocator keeps nothing back
  // Everything that the device's allocator told, as it told it: where ReadingDetail::kAllocator was asked for.
  std::vector<MemoryRow> allocator_events;
  std::optional<std::string> allocator_settings;  // as PYTORCH_CUDA_ALLOC_CONF has them; nothing: unknown
  CudaAllocator cuda_allocator;
  std::vector<OpRow> ops;
  std::vector<SavedTensorRow> saved;
  CallStacks call_stacks;
  bool cross_checked = false;  // reports were asked for, though none may have come
  std::vector<MemoryReportRow> reports;
  Samples samples;
  bool stats_recorded = false;  // DeviceStats were asked for, though there may be no device
  std::vector<DeviceStatsRow> device_stats;
  std::vector<LayerOutputRow> layer_outputs;  // in the order of the file
  std::vector<EpochRow> epochs;               // empty: the trainer counts none
  WarmUpRows warm_up;
  TimeRows time;
};

}  // namespace strata::analysis
