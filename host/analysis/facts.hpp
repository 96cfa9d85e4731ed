// SPDX-License-Identifier: Apache-2.0
// What a run store says once it has been understood: the plain data that reports, exports and diffs are made
// from. Bytes are bytes, times are CLOCK_MONOTONIC nanoseconds, steps count from 0.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/category.hpp"
#include "host/analysis/dry_fact.hpp"
#include "host/analysis/layers/layer_tree.hpp"
#include "host/analysis/peak/finding.hpp"
#include "host/analysis/peak/peak_context.hpp"
#include "host/analysis/reading/machine_clock.hpp"
#include "host/analysis/samples.hpp"
#include "host/analysis/stacks/call_stacks.hpp"
#include "host/analysis/steps/thinned.hpp"
#include "host/analysis/tensor_form.hpp"
#include "host/analysis/time/time_facts.hpp"
#include "host/analysis/warm_up/steady_state.hpp"
#include "host/analysis/warm_up/warm_up.hpp"

namespace strata::analysis {

// One allocation from its birth to its death.
struct Block {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t birth_sequence = 0;
  std::uint64_t death_sequence = UINT64_MAX;  // UINT64_MAX: alive at the end
  std::int64_t birth_ns = 0;
  std::int64_t death_ns = INT64_MAX;
  Category category = Category::kUnknown;
  std::string_view kind;             // the second level: "saved", "logits", "optimizer_temp"...; static
  std::string_view reason;           // the rule that decided, in words; static
  std::uint32_t name = 0;            // index into Facts::texts: the owner's name, or 0
  std::uint32_t op = 0;              // index into Facts::texts: the op that made it
  std::uint32_t layer = 0;           // index into Facts::texts: the creator's module path
  std::uint32_t saver = 0;           // index into Facts::texts: the module whose graph keeps it
  std::uint32_t phase = 0;           // index into Facts::phases + 1 of its birth; 0 outside
  std::uint32_t place = 0;           // index into Facts::block_places
  std::uint32_t form = kNoForm;      // index into Facts::forms: of the tensor that was registered in it
  bool is_frozen = false;            // a parameter that needs no gradient, where that was told
  std::uint64_t rounding_bytes = 0;  // of `bytes`, those that nobody asked for
  std::uint64_t birth_op = 0;        // ordinal of the innermost operator then (OpSpan::ordinal); 0: none

  bool is_alive_at(std::uint64_t sequence) const {
    return birth_sequence <= sequence && sequence < death_sequence;
  }
};

struct PhaseFact {
  std::uint32_t kind = 0;  // STRATA_PHASE_*
  std::string name;
  std::int64_t step = -1;  // -1 outside
  std::uint32_t micro_batch = 0;
  std::uint32_t depth = 0;
  std::uint64_t begin_sequence = 0, end_sequence = UINT64_MAX;
  std::int64_t begin_ns = 0, end_ns = INT64_MAX;

  bool is_open_at(std::uint64_t sequence) const {
    return begin_sequence <= sequence && sequence < end_sequence;
  }
};

struct StepFact {
  std::int64_t index = 0;
  std::uint32_t schedule = 0;  // STRATA_STEP_*
  std::uint64_t begin_sequence = 0, end_sequence = UINT64_MAX;
  std::int64_t begin_ns = 0, end_ns = INT64_MAX;
  double loss = 0.0;         // NaN when unknown
  std::uint64_t tokens = 0;  // Facts::unit says of what
  std::uint64_t peak_allocated_bytes = 0;
  std::uint64_t peak_reserved_bytes = 0;  // equals allocated on a device whose allocator keeps nothing back
  bool complete = false;    // it came to its own end: no interrupt, exception or death cut it short
  std::int64_t epoch = -1;  // -1: the trainer counts none
  // Its highest moment, the first of several; that of its begin where nothing of it is higher.
  std::uint64_t peak_sequence = 0;
  std::int64_t peak_ns = 0;
  std::uint32_t peak_phase = 0;  // index into Facts::phases + 1 of the innermost one then; 0 outside
  CategoryBytes begin_categories{}, peak_categories{};
  bool thinned = false;  // of the rest here only the peaks, losses and times are known
  // Of a step that nothing but the program's end ended: when its last phase did.
  std::int64_t worked_until_ns = INT64_MAX;

  bool is_open_at(std::uint64_t sequence) const {
    return begin_sequence <= sequence && sequence < end_sequence;
  }
  std::int64_t duration_ns() const { return std::min(end_ns, worked_until_ns) - begin_ns; }
};

// How quickly the steps of the window passed. Steps that were cut short do not count: their time says
// nothing.
struct Pace {
  std::uint64_t complete_steps = 0;
  std::optional<double> median_step_ns;  // of an even number the mean of the middle two; none without a step
  std::optional<double> tokens_per_second;  // over the time inside of steps; none when no token was counted
};

// Memory right after one event.
struct Point {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  CategoryBytes bytes{};
  std::uint64_t rounding_bytes = 0;  // of all of them, those that nobody asked for
};

// Where a caching allocator has a block or a segment: each stream has its own, and so has each private pool
// on each stream. What one has free no other can use.
struct Place {
  std::uint64_t stream = 0;  // the handle; 0 is the default stream
  std::uint64_t pool = 0;    // 0 is none of its own
  auto operator<=>(const Place&) const = default;
};

inline constexpr std::uint64_t kNoSegment = 0;

// What a caching allocator holds of its device, allocated or not, from one event on.
struct ReservedPoint {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  std::uint64_t bytes = 0;
  std::uint64_t segment_address = 0;  // of what it took or gave back in this event; kNoSegment: not told
  std::int64_t change_bytes = 0;      // negative: gave back
  Place place;                        // of the segment
};

// Median and mean over the events of the window, and a mean over its time. min and max also count the level
// that the window begins with, as the peak does.
struct CategoryStatistics {
  std::uint64_t min = 0, median = 0, max = 0;
  double mean_over_events = 0.0;
  double mean_over_time = 0.0;
};

// A line of "what is alive at the peak, by ...".
struct PeakShare {
  std::string label;
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
};

// What is alive at one moment: where most is, or where an allocation failed.
struct Peak {
  std::uint64_t allocated_bytes = 0, reserved_bytes = 0;
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  std::int64_t step = -1;
  std::string phase;
  CategoryBytes categories{};
  std::vector<PeakShare> by_kind, by_layer, by_op;  // largest first
  std::vector<std::uint32_t> largest_blocks;        // indices into Facts::blocks
};

// What one place holds at one moment.
struct PlaceShare {
  Place place;
  std::uint64_t allocated_bytes = 0, blocks = 0;
  std::optional<std::uint64_t> reserved_bytes;  // nothing: segments were not told
};

// An allocation that failed.
struct OutOfMemory {
  std::uint64_t requested_bytes = 0;
  std::optional<std::uint64_t> device_free_bytes;  // as the device said; nothing: it said nothing
  std::uint64_t largest_gap_bytes = 0;             // the largest piece of what was reserved and not allocated
  std::uint32_t op = 0;                            // index into Facts::texts: the op that asked
  std::uint32_t layer = 0;                         // index into Facts::texts
  Peak held;                                       // what filled the device
  std::vector<Finding> findings;                   // what the recording proves of that moment, largest first
};

// What other memory than the device's was handed out beside it: the host's, pinned or not, or another
// device's.
struct OtherMemory {
  std::string device;  // "cpu", "pinned", "cuda:1"
  std::uint64_t peak_allocated_bytes = 0;
  std::uint64_t peak_sequence = 0;         // when, the last time of several
  std::uint64_t blocks = 0;                // handed out in all
  std::uint64_t peak_offloaded_bytes = 0;  // of blocks registered as moved there until backward
};

struct PluginFact {
  std::string id, status, reason;
  std::uint64_t faults = 0;  // that it was caught in
};

// What went wrong between trainer, plugins and host, by its kind (docs/manifest.md).
struct FaultFact {
  std::string kind;
  std::uint64_t count = 0;
};

// Our running total against an independent count: what c10's own memory reporting said of the same events.
struct CrossCheckMismatch {
  std::uint64_t sequence = 0;
  std::uint64_t allocated_bytes = 0;  // by us, the sum over all categories
  std::uint64_t reported_bytes = 0;   // by c10
};

struct CrossCheck {
  std::uint64_t events = 0;                 // of the timeline
  std::uint64_t events_compared = 0;        // those that c10 reported too
  std::uint64_t reports_without_event = 0;  // what c10 reported and we did not see
  std::uint64_t mismatches = 0;
  std::optional<CrossCheckMismatch> first_mismatch;

  // Every event was compared, and every sum was equal.
  bool holds() const {
    return events > 0 && events_compared == events && reports_without_event == 0 && mismatches == 0;
  }
};

// What layers return in one forward, summed up: an estimate of its activations; and what it really left.
struct LayerEstimate {
  std::int64_t step = -1;
  std::uint64_t bytes = 0;             // the estimate
  std::vector<PeakShare> by_op;        // its parts, largest first; `blocks` are calls
  std::uint64_t activation_bytes = 0;  // alive at the forward's end, as asked for
  std::uint64_t saved_bytes = 0;       // of these, held by autograd's graph
};

// What our events come to against torch's own counts (DeviceStats), at each step's begin and end: what is
// allocated, reserved and requested, and the peaks of each.
struct StatsCheck {
  std::uint64_t values = 0;
  std::uint64_t mismatches = 0;
  struct Mismatch {
    std::uint64_t sequence = 0;
    std::string_view count;  // "peak reserved"; static
    std::uint64_t ours = 0, torchs = 0;
  };
  std::optional<Mismatch> first_mismatch;

  bool holds() const { return values > 0 && mismatches == 0; }
};

// Labels found from lifetimes alone, against what autograd itself said it saved.
struct ConfusionCell {
  std::uint64_t blocks = 0, bytes = 0;
};

// Blocks that one op made and that the two label differently in category or in kind.
struct Disagreement {
  Category truth_category = Category::kUnknown, rule_category = Category::kUnknown;
  std::string_view truth_kind, rule_kind;  // static
  ConfusionCell size;
  std::uint32_t first_block = 0;  // index into Facts::blocks
  std::uint32_t op = 0;           // index into Facts::texts: the one that made them
};

// Of the blocks that were compared: those without an owner that autograd saved or that lifetimes call an
// activation. The two cannot differ in any other, and nothing can be said of a forward that no backward
// followed: its graph was dropped, and shows in no lifetime.
struct Confusion {
  std::array<std::array<ConfusionCell, kCategories>, kCategories> cells{};  // [truth][rule]
  std::vector<Disagreement> disagreements;                                  // largest first
  std::uint64_t compared_blocks = 0;
  std::uint64_t saved_blocks = 0;  // of all blocks; with none there was no truth to compare with

  ConfusionCell off_diagonal() const;          // of `cells`
  ConfusionCell labelled_differently() const;  // of `disagreements`: in category or in kind
  // There was a truth, and nothing differed from it.
  bool holds() const { return saved_blocks > 0 && disagreements.empty(); }
};

struct Facts {
  std::string name;
  std::string directory;
  std::string device = "cpu";
  std::int64_t first_step = 0, last_step = 0;  // the window that the statistics cover
  std::int64_t begin_ns = 0, end_ns = 0;       // of the run; times in pages count from begin_ns
  std::int64_t window_begin_ns = 0, window_end_ns = 0;
  std::uint64_t window_begin_sequence = 0, window_end_sequence = UINT64_MAX;
  std::string end;      // done, failed, ...; "open" while the run goes on, "killed" when the process died
  std::string command;  // that `strata exec` started, as a shell reads it; empty: none is known
  std::vector<std::string> texts;                     // [0] is empty
  std::vector<Block> blocks;                          // by birth_sequence
  std::vector<std::uint32_t> repeated_block_lengths;  // by text: layers/repeated_blocks.hpp
  std::vector<PhaseFact> phases;                      // by begin_sequence
  std::vector<StepFact> steps;                        // by index
  std::string unit = "tokens";                        // what they count: tokens, images
  std::string allocator_settings;  // as PYTORCH_ALLOC_CONF has them; empty also where nobody knows
  std::string trainer;        // whose ran the steps: "transformers", "lightning", "libtorch"; empty: its own
  bool is_configured = true;  // a training of ours, whose settings are keys of a file; else a program
  std::vector<Point> points;  // one for each allocation and free of the whole run
  std::array<CategoryStatistics, kCategories> statistics{};
  CategoryStatistics total;
  Pace pace;                               // of the window
  SteadyState steady_state;                // of all steps that came to their end
  WarmUp warm_up;                          // of a run with the plugin warmup_analyzer
  Peak peak;                               // of the window; of what it begins with, at its begin
  PeakContext peak_context;                // of that peak
  LayerTree layers;                        // at that peak, and over its step
  std::vector<std::uint64_t> failed_at;    // sequences at which an allocation failed, in order
  std::vector<OutOfMemory> out_of_memory;  // by sequence
  CallStacks call_stacks;                  // of blocks by their birth_sequence, of failures by theirs
  std::vector<OtherMemory> other_memory;   // what allocated anything, by its name
  std::vector<Place> block_places;         // the streams and pools that blocks are of
  std::vector<TensorForm> forms{{}};       // dtypes and shapes that blocks have; [0] says nothing
  std::vector<PlaceShare> places;          // of a CUDA device, at the peak; most reserved first
  std::vector<PluginFact> plugins;
  std::vector<FaultFact> faults;   // of a run that was closed
  Thinned thinned;                 // the window of the statistics begins behind it, that of the peak does not
  std::uint64_t dropped_rows = 0;  // of these: rows that found no room in the store
  std::optional<DryFact> dry;      // nothing here was measured on a card
  std::vector<ReservedPoint> reserved;  // of the whole run; empty: the allocator keeps nothing back
  Samples samples;
  std::optional<CrossCheck> cross_check;        // of a run with `trace.cross_check: true`
  std::optional<LayerEstimate> layer_estimate;  // of a run with `trace.layer_outputs: true`
  std::optional<StatsCheck> stats_check;        // the same, where torch counts
  std::optional<Confusion> truth;               // of a run with `trace.saved_tensors: true`
  std::optional<TimeFacts> time;                // of a run with the plugin cupti_timeline
  std::uint64_t pid = 0, rank = 0, world_size = 1;
  std::int64_t realtime_less_monotonic_ns = 0;  // of the run's begin; 0: not recorded
  MachineClock clock;
  std::vector<std::string> warnings;  // gaps, drops, recovered spools: what a reader must know
};

// Whether the allocator was traced all along: then a run without an allocation has none, or lost them.
bool traces_memory(const Facts& facts);

}  // namespace strata::analysis
