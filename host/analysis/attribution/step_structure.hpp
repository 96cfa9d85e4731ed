// SPDX-License-Identifier: Apache-2.0
// The stage of the training step at any moment, and which backward belongs to which forward.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "host/analysis/attribution/stage.hpp"
#include "host/analysis/recording/structure_rows.hpp"

namespace strata::analysis {

struct Recording;

// One forward, with the loss, and the backward that follows in the same micro-batch. Consecutive forwards,
// and consecutive backwards, count as one.
struct Pass {
  std::int64_t step = -1;
  std::uint32_t micro_batch = 0;
  std::uint64_t forward_begin = kNever, forward_end = 0;  // of its first and last phase
  std::uint64_t backward_begin = kNever, backward_end = kNever;
  bool has_backward() const { return backward_begin != kNever; }
  // The time between a forward and its backward belongs to the forward.
  std::uint64_t forward_over() const { return has_backward() ? backward_begin : forward_end; }
};

struct Moment {
  Stage stage = Stage::kBetween;
  const PhaseRow* phase = nullptr;  // the innermost one; null outside
  const Pass* pass = nullptr;       // for forward, recompute and backward; null otherwise
};

// From the first event to the last; kNever if it has not begun or not ended.
struct Extent {
  std::uint64_t begin = kNever, end = kNever;
};

class StepStructure {
 public:
  // Ignores a parent that does not exist or begins after its child, so that chains are finite.
  explicit StepStructure(const Recording& run);

  // `phase` is the ordinal in the event, 0 for none.
  Moment at(std::uint64_t sequence, std::uint32_t phase) const;
  // Index into the recording's phases.
  std::optional<std::size_t> find_phase(std::uint32_t ordinal) const;
  // The number of phases that enclose this one.
  std::uint32_t depth(std::size_t phase) const { return depths_[phase]; }
  // The end of the step that contains the moment; between steps, the begin of the next one.
  std::uint64_t step_end(std::uint64_t sequence) const;
  // The begin of the first step; kNever if the run never reached one.
  std::uint64_t first_step_begin() const;
  // The first pass that begins after the moment; null if there is none.
  const Pass* next_pass(std::uint64_t sequence) const;
  // The first optimizer phase that begins after the moment.
  Extent next_optimizer(std::uint64_t sequence) const;
  const std::vector<Pass>& passes() const { return passes_; }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  void place_phases();
  void pair_passes();
  std::uint32_t pass_of(std::size_t phase);
  Pass& backward_pass(const PhaseRow& phase);
  Pass& open_pass(const PhaseRow& phase);

  const Recording& run_;
  std::unordered_map<std::uint32_t, std::uint32_t> index_;  // phase ordinal to row
  std::vector<Stage> stages_;                               // of each phase
  std::vector<std::uint32_t> depths_;
  std::vector<std::uint32_t> pass_of_phase_;  // index into passes_ or kNone
  std::vector<Pass> passes_;                  // by forward_begin, or backward_begin without a forward
  std::vector<std::uint64_t> pass_begins_;
  std::vector<Extent> optimizers_;  // by begin
};

}  // namespace strata::analysis
