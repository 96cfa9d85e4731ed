// SPDX-License-Identifier: Apache-2.0
// Results of checks of the facts.
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

// Our running total compared with an independent count: c10's own memory reports of the same events.
struct CrossCheckMismatch {
  std::uint64_t sequence = 0;
  std::uint64_t allocated_bytes = 0;  // our value, the sum over all categories
  std::uint64_t reported_bytes = 0;   // c10's value
};

struct CrossCheck {
  std::uint64_t events = 0;                 // of the timeline
  std::uint64_t events_compared = 0;        // those also reported by c10
  std::uint64_t reports_without_event = 0;  // reported by c10 but not seen by us
  std::uint64_t mismatches = 0;
  std::optional<CrossCheckMismatch> first_mismatch;

  // Every event was compared, and all sums were equal.
  bool holds() const {
    return events > 0 && events_compared == events && reports_without_event == 0 && mismatches == 0;
  }
};

// The sum of the layer outputs of one forward, an estimate of its activations, and the memory that it really
// left.
struct LayerEstimate {
  std::int64_t step = -1;
  std::uint64_t bytes = 0;             // the estimate
  std::vector<PeakShare> by_op;        // its parts, largest first; `blocks` are calls
  std::uint64_t activation_bytes = 0;  // alive at the forward's end, requested bytes
  std::uint64_t saved_bytes = 0;       // part of it held by autograd's graph
};

// Our values compared with torch's own counts (DeviceStats) at each step's begin and end: allocated, reserved
// and requested bytes, and the peak of each.
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

// Labels found only from lifetimes, compared with the tensors that autograd reported as saved.
struct ConfusionCell {
  std::uint64_t blocks = 0, bytes = 0;
};

// Blocks made by one op whose labels differ in category or kind.
struct Disagreement {
  Category truth_category = Category::kUnknown, rule_category = Category::kUnknown;
  BlockKind truth_kind = BlockKind::kUnattributed, rule_kind = BlockKind::kUnattributed;
  ConfusionCell size;
  std::uint32_t first_block = 0;  // index into Facts::blocks
  std::uint32_t op = 0;           // index into Facts::texts: the op
};

// The compared blocks are those without an owner that autograd saved or that are activations according to
// lifetimes. Others cannot differ. Nothing can be said about a forward without a backward: its graph was
// dropped and does not show in lifetimes.
struct Confusion {
  std::array<std::array<ConfusionCell, kCategories>, kCategories> cells{};  // [truth][rule]
  std::vector<Disagreement> disagreements;                                  // largest first
  std::uint64_t compared_blocks = 0;
  std::uint64_t saved_blocks = 0;  // of all blocks; if 0, there was no truth to compare with

  ConfusionCell off_diagonal() const;          // of `cells`
  ConfusionCell labelled_differently() const;  // of `disagreements`: in category or in kind
  // There was a truth, and no label differed.
  bool holds() const { return saved_blocks > 0 && disagreements.empty(); }
};

struct CheckFacts {
  std::optional<CrossCheck> cross_check;        // for a run with `trace.cross_check: true`
  std::optional<LayerEstimate> layer_estimate;  // for a run with `trace.layer_outputs: true`
  std::optional<StatsCheck> stats_check;        // the same, if torch counts
  std::optional<Confusion> truth;               // for a run with `trace.saved_tensors: true`
};

}  // namespace strata::analysis
