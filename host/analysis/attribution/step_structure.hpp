// SPDX-License-Identifier: Apache-2.0
// What the training step was doing at any moment: its stages, and which backward belongs to which forward.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "host/analysis/attribution/stage.hpp"
#include "host/analysis/recording/structure_rows.hpp"

namespace strata::analysis {

struct Recording;

// One forward, with the loss, and the backward that follows it within the same micro-batch. Of several that
// follow each other each end counts as one.
struct Pass {
  std::int64_t step = -1;
  std::uint32_t micro_batch = 0;
  std::uint64_t forward_begin = kNever, forward_end = 0;  // of the first and of the last of its phases
  std::uint64_t backward_begin = kNever, backward_end = kNever;
  bool has_backward() const { return backward_begin != kNever; }
  // Between a forward and its backward the forward goes on.
  std::uint64_t forward_over() const { return has_backward() ? backward_begin : forward_end; }
};

struct Moment {
  Stage stage = Stage::kBetween;
  const PhaseRow* phase = nullptr;  // the innermost one; null outside
  const Pass* pass = nullptr;       // of forward, recompute and backward; null elsewhere
};

// From the first event of something to its last; kNever where it has not begun or not ended.
struct Extent {
  std::uint64_t begin = kNever, end = kNever;
};

class StepStructure {
 public:
  // A parent that does not exist or begins after its child is taken for none, so that no chain is endless.
  explicit StepStructure(const Recording& run);

  // `phase` is the ordinal that the event carries, 0 for none.
  Moment at(std::uint64_t sequence, std::uint32_t phase) const;
  // Index into the recording's phases.
  std::optional<std::size_t> find_phase(std::uint32_t ordinal) const;
  // How many phases are open around this one.
  std::uint32_t depth(std::size_t phase) const { return depths_[phase]; }
  // The end of the step that holds the moment; between steps, the begin of the next one.
  std::uint64_t step_end(std::uint64_t sequence) const;
  // When the first step begins; kNever in a run that never came so far.
  std::uint64_t first_step_begin() const;
  // The first that begins after the moment; null where there is none.
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
