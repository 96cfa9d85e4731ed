// SPDX-License-Identifier: Apache-2.0
// The rows of one run store, typed and in order, before anything is concluded from them. Columns mean what
// docs/run-store.md says; texts are indices into `texts`, never the store's own ids.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/facts.hpp"
#include "host/analysis/reading/machine_clock.hpp"
#include "host/analysis/reading/texts.hpp"
#include "host/analysis/stacks/call_stacks.hpp"
#include "host/analysis/steps/thinned.hpp"
#include "host/analysis/time/time_rows.hpp"
#include "host/analysis/warm_up/rows.hpp"

namespace strata::analysis {

inline constexpr std::uint64_t kNever = UINT64_MAX;

// The path of the model itself, outside of its modules, whose own path is empty.
inline constexpr const char* kModelItself = "(model)";

struct Device {
  std::uint32_t type = 0;  // STRATA_DEVICE_*
  std::int32_t index = 0;
  auto operator<=>(const Device&) const = default;
};

struct StepRow {
  std::int64_t step = 0;
  std::uint32_t schedule = 0;
  std::uint64_t begin_sequence = 0, end_sequence = kNever;
  std::int64_t begin_ns = 0, end_ns = INT64_MAX;
  std::int64_t worked_until_ns = INT64_MAX;  // of the last one: as steps/last_step.hpp finds it
  double loss = std::nan("");
  std::uint64_t tokens = 0;
  bool is_followed = false;  // another began behind it, and was left out since nothing was trained in it
};

struct PhaseRow {
  std::uint32_t ordinal = 0, parent = 0;
  std::uint32_t kind = 0;
  std::uint32_t name = 0;
  std::int64_t step = -1;
  std::uint32_t micro_batch = 0;
  bool inferred = false;  // nobody marked it
  std::uint64_t begin_sequence = 0, end_sequence = kNever;
  std::int64_t begin_ns = 0, end_ns = INT64_MAX;
};

struct ModuleRow {
  std::uint32_t ordinal = 0, parent = 0;
  std::uint32_t direction = 0;
  std::uint32_t path = 0;
  std::uint64_t begin_sequence = 0, end_sequence = kNever;
  std::int64_t begin_ns = 0, end_ns = INT64_MAX;
  std::uint32_t thread = 0;
};

struct TensorRow {
  std::uint64_t sequence = 0;
  std::uint32_t role = 0;
  std::uint32_t name = 0;
  Device device;
  std::uint64_t address = 0, owner_address = 0;
  TensorForm form = {};
  bool is_frozen = false;
};

struct MemoryRow {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  std::uint32_t thread = 0;
  std::uint32_t action = 0;
  Device device;
  std::uint64_t address = 0, bytes = 0;
  std::uint64_t handed_out_bytes = 0;  // by the device's allocator before this event; 0: it keeps no count
  std::uint64_t op = 0;
  std::uint32_t phase = 0, module = 0;
  std::uint64_t stream = 0, pool = 0;  // of a caching allocator's block
  std::uint64_t rounding_bytes = 0;    // of `bytes`, those that nobody asked for
};

struct FailureRow {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  Device device;
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> device_free_bytes;
  std::uint64_t largest_gap_bytes = 0;  // see find_gaps
  std::uint64_t op = 0;
  std::uint32_t module = 0;
};

struct OpRow {
  std::uint64_t sequence = 0;
  std::uint64_t ordinal = 0, parent = 0;
  std::int64_t autograd_sequence = -1;
  std::uint64_t forward_thread = 0;
  std::uint32_t thread = 0;
  std::uint32_t kind = 0;
  std::uint32_t name = 0;
  std::uint32_t module = 0;
};

struct SavedRow {
  std::uint64_t sequence = 0;
  std::uint32_t action = 0;
  std::uint32_t module = 0;
  std::uint64_t saved = 0;
  Device device;
  std::uint64_t address = 0;
};

// A report of c10's own memory reporting, the independent count.
struct MemoryReportRow {
  std::uint64_t sequence = 0;
  std::uint32_t thread = 0;
  Device device;
  std::uint64_t address = 0;
  std::int64_t bytes = 0;  // negative for a free
  std::uint64_t allocated_bytes = 0;
};

// How the blocks of torch's CUDA allocator are known.
enum class CudaTracing : std::uint8_t {
  kUnknown,    // nobody said: of a run before there was anything to say
  kItself,     // it told of blocks and segments
  kCounted,    // wrapped: of blocks, and of what is reserved the sum
  kUncounted,  // wrapped: of blocks as large as they were asked for
  kRefused,    // of nothing
};

struct CudaAllocator {
  std::string name;
  CudaTracing tracing = CudaTracing::kUnknown;
};

// An operator that no other one called returned so many bytes.
struct LayerOutputRow {
  std::int64_t ns = 0;
  std::uint32_t name = 0;
  std::uint64_t bytes = 0;
};

// An epoch began, with that step.
struct EpochRow {
  std::uint64_t sequence = 0;
  std::int64_t epoch = 0, step = 0;
};

// What a reader wants of a store beside what reports are made of.
enum class Detail { kReport, kAllocator };

struct Recording {
  std::filesystem::path directory;
  std::string name;
  Device device;  // the one that the rows below are about
  std::uint64_t first_step = 0, last_step = 0;
  bool closed = false;  // the run reached its end
  std::string end;      // done, failed...; "open" while it goes on, "killed" when the process died
  std::int64_t begin_ns = 0, end_ns = 0;
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
  // Everything that the device's allocator told, as it told it: where Detail::kAllocator was asked for.
  std::vector<MemoryRow> allocator_events;
  std::optional<std::string> allocator_settings;  // as PYTORCH_CUDA_ALLOC_CONF has them; nothing: unknown
  CudaAllocator cuda_allocator;
  std::vector<OpRow> ops;
  std::vector<SavedRow> saved;
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
  std::uint64_t pid = 0, rank = 0, world_size = 1;
  std::int64_t realtime_less_monotonic_ns = 0;  // of the run's begin; 0: not recorded
  MachineClock clock;
  std::vector<PluginFact> plugins;
  std::vector<FaultFact> faults;
  std::uint64_t dropped_rows = 0;
  Thinned thinned;
  std::string command;          // that `strata exec` started; empty: none is known
  std::string unit = "tokens";  // what StepRow::tokens counts
  std::string trainer;        // whose ran the steps: "transformers", "lightning", "libtorch"; empty: its own
  bool is_configured = true;  // the manifest names a model that a configuration described
  std::optional<DryFact> dry;
  std::vector<std::string> warnings;
};

}  // namespace strata::analysis
