// SPDX-License-Identifier: Apache-2.0
// The input of the rules: all facts about one block once the run is over, as moments to compare with its
// sequence. Rules use nothing else.
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
  Stage stage = Stage::kBetween;            // at its birth
  std::uint32_t role = 0;                   // STRATA_TENSOR_*; 0: not registered
  bool copies_gradient = false;             // registered as the copy of a gradient
  bool unnamed_parameter = false;           // a leaf with a gradient, not named by any model or optimizer
  bool saved = false;                       // autograd saved it
  std::uint64_t held_until = 0;             // when autograd's last hold ended
  bool in_private_pool = false;             // of its allocator, such as that of a CUDA graph

  // Ends of the ranges open at its birth; kNever if a range continues to the end of the recording.
  std::uint64_t phase_end = kNever;  // outside any phase: of the step
  std::uint64_t step_end = kNever;   // outside any step: begin of the next
  // Of the micro-batch's backward; kNever if there is none.
  std::uint64_t backward_begin = kNever, backward_end = kNever;
  // If born in setup or between phases: of the next forward, and of its backward.
  std::uint64_t next_forward_begin = kNever, next_backward_begin = kNever;
  // Of the first optimizer phase that begins after its birth, and the begin of the first one in a later step.
  std::uint64_t next_optimizer = kNever, next_optimizer_end = kNever, optimizer_after_next = kNever;
  // Of the last optimizer that may belong to one iteration (of a generator, a critic, an encoder), and of the
  // first one in the next iteration.
  std::uint64_t optimizers_of_a_turn_end = kNever;
  // Made before that forward, if there is one, in a forward that was over by then, such as that of a teacher
  // or an evaluation, whose graph is not recorded; or in a matrix product.
  bool computed_before_forward = false;
  // By an operator that only layers use; or inside a layer's forward, and not by a copy.
  bool made_by_layer_op = false, made_in_layer = false;
  bool born_in_nameless_optimizer = false;  // its phase was inferred from the optimizer's writes
  bool run_finished = true;                 // the recording ends because the run did

  bool born_in_ones_like = false;  // and before the first node of that backward ran
  bool born_in_zeros_like = false;
  bool died_in_gradient_addition = false;  // inside an AccumulateGrad that added to a gradient
  bool lived_in_one_matrix_product = false;
  // Born in ranges of fully_shard: in any, in one that gathers parameters, in one that reduces gradients.
  bool born_in_sharding = false, born_in_gathering = false, born_in_reducing = false;
  bool made_by_broadcast = false;          // of parameters, to a card that has none of its own
  bool born_in_recorded_backward = false;  // by an operator of a backward that autograd recorded
  bool parameter_sized = false;            // same size as some registered parameter
  bool made_as_an_input = false;           // same size as some registered input, made by the same operator
};

// Computes the evidence of one block at a time, because that of all blocks of a long run would be larger than
// the blocks. Its sources must outlive it; `run.memory` is not used.
class EvidenceGatherer {
 public:
  EvidenceGatherer(const Recording& run, const BlockTable& table, const OpTable& ops,
                   const StepStructure& structure);

  // Treats the recording as ended at `sequence` for blocks alive then: blocks freed by an exception were not
  // meant to die there. This is done anyway for an exception that cut a forward short in a run that
  // continued.
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
  // By module ordinal: end of the outermost recomputing range.
  std::unordered_map<std::uint32_t, std::uint64_t> recompute_end_;
  // The same for the outermost forward range.
  std::unordered_map<std::uint32_t, std::uint64_t> forward_end_;
};

}  // namespace strata::analysis
