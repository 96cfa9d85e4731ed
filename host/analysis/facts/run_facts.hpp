// SPDX-License-Identifier: Apache-2.0
// Facts of a run as a whole: its program, its end, and limits of its recording that readers must know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/facts/dry_fact.hpp"
#include "host/analysis/facts/machine_clock.hpp"
#include "host/analysis/facts/run_end.hpp"
#include "host/analysis/facts/thinned.hpp"
#include "host/analysis/facts/warning.hpp"

namespace strata::analysis {

struct PluginFact {
  std::string id, status, reason;
  std::uint64_t faults = 0;  // number counted by the host
  bool is_ok() const { return status == "ok"; }
};

// Errors between trainer, plugins and host, by kind (docs/manifest.md).
struct FaultFact {
  std::string kind;
  std::uint64_t count = 0;
};

// Steps with memory events, by where their operators come from (attribution/equal_steps.hpp).
struct StepDetail {
  std::uint64_t recorded = 0;
  std::uint64_t named = 0;    // those of a recorded step that does the same
  std::uint64_t without = 0;  // none
};

// For a run that was converted from a snapshot of torch.cuda.memory: the file, and what it contains. It never
// has phases, modules and owners.
struct SnapshotFact {
  std::string file;                  // absolute
  std::uint64_t entries = 0;         // of its history
  std::uint64_t begin_sequence = 0;  // the last event that stands for what was held before the history
  std::uint64_t devices = 1;         // with any memory
  std::uint64_t held_blocks = 0;     // when the history begins, on all devices
  std::uint64_t held_bytes = 0;      // allocated in them
  bool has_times = true;             // else each entry takes a microsecond
  bool has_stacks = false, has_categories = false;
  bool was_stopped = false;  // the history ends before the snapshot
};

struct RunFacts {
  std::string name;
  std::int64_t begin_ns = 0, end_ns = 0;  // times in pages count from begin_ns
  RunEnd end = RunEnd::kUnknown;
  std::string command;          // the command of `strata exec` in shell syntax; empty: unknown
  std::string unit = "tokens";  // what StepFact::tokens counts: tokens, images
  std::string trainer;          // of the loop: "transformers", "lightning", "libtorch"; empty: its own
  bool is_configured = true;    // Strata's own training, configured in a file; else a program
  std::vector<PluginFact> plugins;
  std::vector<FaultFact> faults;  // of a closed run
  Thinned thinned;                // the window of the statistics begins after it, that of the peak does not
  StepDetail step_detail;
  std::uint64_t dropped_rows = 0;        // rows without space in the store
  std::optional<DryFact> dry;            // set: nothing was measured on a real GPU
  std::optional<SnapshotFact> snapshot;  // set: converted from a snapshot of torch.cuda.memory
  std::uint64_t pid = 0, rank = 0, world_size = 1;
  std::int64_t realtime_less_monotonic_ns = 0;  // at the run's begin; 0: not recorded
  MachineClock clock;
  std::vector<Warning> warnings;  // gaps, drops, recovered spools
};

// Whether the allocator was traced from the start: then a run without allocations made none, or lost them.
bool traces_memory(const RunFacts& facts);

}  // namespace strata::analysis
