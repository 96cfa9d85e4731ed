// SPDX-License-Identifier: Apache-2.0
// The facts of one rank needed for comparing ranks: small, so that those of a thousand fit in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/facts/category.hpp"
#include "host/analysis/facts/machine_clock.hpp"
#include "host/analysis/facts/other_memory.hpp"
#include "host/analysis/facts/run_end.hpp"
#include "host/analysis/facts/time_spans.hpp"
#include "host/analysis/time/intervals.hpp"

namespace strata::analysis {

struct Facts;

// STRATA_PHASE_OTHER and STRATA_PHASE_GRADIENT_SYNC, without the plugin headers.
inline constexpr std::uint32_t kOtherPhase = 0, kSyncPhase = 7;

// A top-level phase of a step.
struct RankPhase {
  std::uint32_t name = 0;  // index into RankFacts::names
  std::uint32_t kind = 0;  // STRATA_PHASE_*
  std::int64_t begin_ns = 0, end_ns = 0;
  std::int64_t waited_ns = 0;  // part spent waiting for other ranks: set by find_waits
};

// Between the last gradient of a backward, indicated by the rank's own last allocation in it, and the next
// activity (the following phase, or else the end of the backward itself), a rank may wait until gradients are
// averaged.
struct BackwardEnd {
  std::int64_t last_gradient_ns = 0, goes_on_ns = 0;
};

// A completed step.
struct RankStep {
  std::int64_t index = 0;
  std::int64_t begin_ns = 0, end_ns = 0;
  std::vector<RankPhase> phases;            // by begin
  std::optional<BackwardEnd> backward_end;  // of its last backward
  // Time spent waiting for other ranks: in phases, between them, and after the last gradient. Set by
  // find_waits.
  std::int64_t waited_ns = 0;
  std::optional<Interval> wait;

  std::int64_t duration_ns() const { return end_ns - begin_ns; }
};

// Memory alive at the peak, of one kind, made in one layer.
struct RankShare {
  Category category = Category::kUnknown;
  std::string kind, layer;
  std::uint64_t bytes = 0;
};

struct RankFacts {
  std::uint64_t rank = 0, world_size = 1, pid = 0;
  std::string name, device;
  RunEnd end = RunEnd::kUnknown;
  bool is_dry = false;             // ranks do not wait for each other
  bool others_are_absent = false;  // ranks without a folder were not started: `ddp.ranks: first`, --world
  MachineClock clock;
  std::int64_t begin_ns = 0, end_ns = 0;
  std::vector<std::string> names;
  std::vector<RankStep> steps;  // by index
  std::int64_t peak_step = -1;
  std::uint64_t peak_allocated_bytes = 0, peak_reserved_bytes = 0;
  CategoryBytes peak_categories{};
  std::uint64_t most_unknown_bytes = 0;  // in the window
  std::vector<RankShare> shares;         // at the peak, largest first
  std::vector<OtherMemory> other_cards;  // CUDA devices other than its own with any allocation, by name
  std::size_t warnings = 0;
  // Sizes of blocks in which gradients are averaged, and names of operators that made blocks in a backward;
  // each once, sorted. Used by rank_clocks.cpp.
  std::vector<std::uint64_t> bucket_bytes;
  std::vector<std::string> backward_operators;

  // The median over the window's completed steps; empty if there are none.
  std::optional<double> median_step_ns;
};

RankFacts rank_facts(const Facts& facts);

}  // namespace strata::analysis
