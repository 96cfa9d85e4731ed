// SPDX-License-Identifier: Apache-2.0
// What tests of the facts themselves came to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "host/analysis/facts/block_kind.hpp"
#include "host/analysis/facts/category.hpp"
#include "host/analysis/facts/peak.hpp"

namespace strata::analysis {

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
  BlockKind truth_kind = BlockKind::kUnattributed, rule_kind = BlockKind::kUnattributed;
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

struct CheckFacts {
  std::optional<CrossCheck> cross_check;        // of a run with `trace.cross_check: true`
  std::optional<LayerEstimate> layer_estimate;  // of a run with `trace.layer_outputs: true`
  std::optional<StatsCheck> stats_check;        // the same, where torch counts
  std::optional<Confusion> truth;               // of a run with `trace.saved_tensors: true`
};

}  // namespace strata::analysis
