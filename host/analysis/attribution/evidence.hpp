// SPDX-License-Identifier: Apache-2.0
// What the rules may look at: everything that is known of one block once the run is over, as moments of its
// sequence to compare. No rule looks anywhere else.
#pragma once

#include <cstdint>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "host/analysis/attribution/blocks.hpp"
#include "host/analysis/attribution/cut_forwards.hpp"
#include "host/analysis/attribution/ops.hpp"
#include "host/analysis/attribution/step_structure.hpp"
#include "host/analysis/recording/structure_rows.hpp"

namespace strata::analysis {

struct Recording;

struct Evidence {
  std::uint64_t birth = 0, death = kNever;  // kNever: alive at the end
  Stage stage = Stage::kBetween;            // of its birth
  std::uint32_t role = 0;                   // STRATA_TENSOR_*; 0: not registered
  bool unnamed_parameter = false;           // a leaf with a gradient, which no model and no optimizer names
  bool saved = false;                       // autograd took hold of it
  std::uint64_t held_until = 0;             // autograd's last hold ends
  bool in_private_pool = false;             // of its allocator, as a CUDA graph has one

  // Ends of what was going on at its birth; kNever where that goes on to the end of the recording.
  std::uint64_t phase_end = kNever;  // outside any phase: of the step
  std::uint64_t step_end = kNever;   // outside any step: the begin of the next
  // Of the micro-batch's backward; kNever without one.
  std::uint64_t backward_begin = kNever, backward_end = kNever;
  // Born in setup or between phases: of the forward that begins next, and of its backward.
  std::uint64_t next_forward_begin = kNever, next_backward_begin = kNever;
  // Of the first optimizer phase that begins after its birth, and the begin of the first in a later step.
  std::uint64_t next_optimizer = kNever, next_optimizer_end = kNever, optimizer_after_next = kNever;
  // Of the last that may be of one loop's turn: of a generator, a critic, an encoder, and the next turn's
  // first.
  std::uint64_t optimizers_of_a_turn_end = kNever;
  // And before that forward, if there is one, in another that was over by then, as of a teacher or of an
  // evaluation, whose graph nobody records; or in a matrix product.
  bool computed_before_forward = false;
  bool born_in_nameless_optimizer = false;  // its phase was concluded from what it writes
  bool run_finished = true;                 // the recording ends because the run did

  bool born_in_ones_like = false;  // and before the first node of that backward ran
  bool born_in_zeros_like = false;
  bool died_in_gradient_addition = false;  // inside an AccumulateGrad that added to a gradient
  bool lived_in_one_matrix_product = false;
  // Born in fully_shard's ranges: any, and where it puts parameters together or takes gradients apart.
  bool born_in_sharding = false, born_in_gathering = false, born_in_reducing = false;
  bool parameter_sized = false;   // some registered parameter has as many bytes
  bool made_as_an_input = false;  // some registered input has as many bytes, by the same operator
};

// Finds the evidence of one block at a time: that of all blocks of a long run is larger than the blocks. What
// it is made from must outlive it; `run.memory` is not looked at.
class EvidenceGatherer {
 public:
  EvidenceGatherer(const Recording& run, const BlockTable& table, const OpTable& ops,
                   const StepStructure& structure);

  // As though the recording ended at `sequence`, for blocks that were alive then: what an exception frees on
  // its way was not meant to die there. Where it cut a forward short and the run went on, so it is anyway.
  void forget_after(std::uint64_t sequence) { last_sequence_ = sequence; }

  Evidence of(const BlockHistory& block) const;

 private:
  void add_circumstances(const BlockHistory& block, Evidence& evidence) const;
  void add_ops(const BlockHistory& block, Evidence& evidence) const;
  bool is_computed_before(std::uint64_t forward_begin, const BlockHistory& block) const;
  bool is_before_nodes(const BlockHistory& block, const Evidence& evidence) const;
  static void forget_after(std::uint64_t sequence, Evidence& block);

  const Recording& run_;
  const BlockTable& table_;
  const OpTable& ops_;
  const StepStructure& structure_;
  CutForwards cut_forwards_;
  std::uint64_t last_sequence_ = kNever;
  std::unordered_set<std::uint64_t> parameter_sizes_;
  std::set<std::pair<std::uint32_t, std::uint64_t>> inputs_;  // operators' texts, and bytes
  // By module ordinal: of the outermost range that runs again.
  std::unordered_map<std::uint32_t, std::uint64_t> recompute_end_;
  // Likewise: of the outermost range that goes forward.
  std::unordered_map<std::uint32_t, std::uint64_t> forward_end_;
};

}  // namespace strata::analysis
