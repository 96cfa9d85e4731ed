// SPDX-License-Identifier: Apache-2.0
// What a comparison of ranks keeps of one rank's facts: small, so that those of a thousand fit in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/facts/category.hpp"
#include "host/analysis/facts/machine_clock.hpp"
#include "host/analysis/facts/time_spans.hpp"
#include "host/analysis/time/intervals.hpp"

namespace strata::analysis {

struct Facts;

// STRATA_PHASE_OTHER and STRATA_PHASE_GRADIENT_SYNC, for readers without the plugins' headers.
inline constexpr std::uint32_t kOtherPhase = 0, kSyncPhase = 7;

// A phase of a step that is in no other one.
struct RankPhase {
  std::uint32_t name = 0;  // index into RankFacts::names
  std::uint32_t kind = 0;  // STRATA_PHASE_*
  std::int64_t begin_ns = 0, end_ns = 0;
  std::int64_t waited_ns = 0;  // of that, for other ranks: find_waits knows it
};

// Between the last gradient of a backward, as the last allocation of the rank's own in it shows, and what
// comes next (the phase behind it, else the backward's own end), a rank may wait until gradients are
// averaged.
struct BackwardEnd {
  std::int64_t last_gradient_ns = 0, goes_on_ns = 0;
};

// A step that came to its end.
struct RankStep {
  std::int64_t index = 0;
  std::int64_t begin_ns = 0, end_ns = 0;
  std::vector<RankPhase> phases;            // by begin
  std::optional<BackwardEnd> backward_end;  // of its last backward
  // For other ranks, in phases and between them, and of that after the last gradient: find_waits knows it.
  std::int64_t waited_ns = 0;
  std::optional<Interval> wait;

  std::int64_t duration_ns() const { return end_ns - begin_ns; }
};

// What is alive at the peak of one kind, made in one layer.
struct RankShare {
  Category category = Category::kUnknown;
  std::string kind, layer;
  std::uint64_t bytes = 0;
};

struct RankFacts {
  std::uint64_t rank = 0, world_size = 1, pid = 0;
  std::string name, device, end;
  bool is_dry = false;          // no rank waits for another
  bool stands_for_all = false;  // no other rank was started: `ddp.ranks: first`
  MachineClock clock;
  std::int64_t begin_ns = 0, end_ns = 0;
  std::vector<std::string> names;
  std::vector<RankStep> steps;  // by index
  std::int64_t peak_step = -1;
  std::uint64_t peak_allocated_bytes = 0, peak_reserved_bytes = 0;
  CategoryBytes peak_categories{};
  std::uint64_t most_unknown_bytes = 0;  // in the window
  std::vector<RankShare> shares;         // at the peak, largest first
  std::size_t warnings = 0;
  // Of blocks that gradients are averaged in, and names of operators that made blocks in a backward; each
  // once, in order. What averaging.hpp goes by.
  std::vector<std::uint64_t> bucket_bytes;
  std::vector<std::string> backward_operators;

  // Of the window's steps that came to their end; nothing without one.
  std::optional<double> median_step_ns;
};

RankFacts rank_facts(const Facts& facts);

}  // namespace strata::analysis
