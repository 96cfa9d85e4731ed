// SPDX-License-Identifier: Apache-2.0
// What is known of a run as a whole: who ran what, how it ended, and what a reader must know of its
// recording.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/facts/dry_fact.hpp"
#include "host/analysis/facts/machine_clock.hpp"
#include "host/analysis/facts/thinned.hpp"

namespace strata::analysis {

struct PluginFact {
  std::string id, status, reason;
  std::uint64_t faults = 0;  // that it was caught in
};

// What went wrong between trainer, plugins and host, by its kind (docs/manifest.md).
struct FaultFact {
  std::string kind;
  std::uint64_t count = 0;
};

struct RunFacts {
  std::string name;
  std::int64_t begin_ns = 0, end_ns = 0;  // times in pages count from begin_ns
  std::string end;      // done, failed, ...; "open" while the run goes on, "killed" when the process died
  std::string command;  // that `strata exec` started, as a shell reads it; empty: none is known
  std::string unit = "tokens";  // what StepFact::tokens counts: tokens, images
  std::string trainer;        // whose ran the steps: "transformers", "lightning", "libtorch"; empty: its own
  bool is_configured = true;  // a training of ours, whose settings are keys of a file; else a program
  std::vector<PluginFact> plugins;
  std::vector<FaultFact> faults;   // of a run that was closed
  Thinned thinned;                 // the window of the statistics begins behind it, that of the peak does not
  std::uint64_t dropped_rows = 0;  // rows that found no room in the store
  std::optional<DryFact> dry;      // nothing here was measured on a card
  std::uint64_t pid = 0, rank = 0, world_size = 1;
  std::int64_t realtime_less_monotonic_ns = 0;  // of the run's begin; 0: not recorded
  MachineClock clock;
  std::vector<std::string> warnings;  // gaps, drops, recovered spools: what a reader must know
};

// Whether the allocator was traced all along: then a run without an allocation has none, or lost them.
bool traces_memory(const RunFacts& facts);

}  // namespace strata::analysis
