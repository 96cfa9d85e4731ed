// What the rules may look at: everything that is known of one block once the run is over, as moments of its
// sequence to compare. No rule looks anywhere else.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/blocks.hpp"
#include "host/analysis/ops.hpp"
#include "host/analysis/step_structure.hpp"

namespace strata::analysis {

struct Evidence {
  std::uint64_t birth = 0, death = kNever;  // kNever: alive at the end
  Stage stage = Stage::kBetween;            // of its birth
  std::uint32_t role = 0;                   // STRATA_TENSOR_*; 0: not registered
  bool saved = false;                       // autograd took hold of it
  std::uint64_t held_until = 0;             // autograd's last hold ends

  // Ends of what was going on at its birth; kNever where that goes on to the end of the recording.
  std::uint64_t phase_end = kNever;  // outside any phase: of the step
  std::uint64_t step_end = kNever;   // outside any step: the begin of the next
  // Of the micro-batch's backward; kNever without one.
  std::uint64_t backward_begin = kNever, backward_end = kNever;
  std::uint64_t next_optimizer = kNever;  // the first optimizer phase that begins after its birth
  bool run_finished = true;               // the recording ends because the run did

  bool born_in_ones_like = false;  // and before the first node of its backward ran
  bool born_in_zeros_like = false;
  bool died_in_gradient_addition = false;  // inside an AccumulateGrad that added to a gradient
  bool lived_in_one_matrix_product = false;
  bool parameter_sized = false;  // some registered parameter has as many bytes
};

std::vector<Evidence> gather_evidence(const Recording& run, const BlockTable& table, const OpTable& ops,
                                      const StepStructure& structure);

// As though the recording ended at `sequence`, for blocks that were alive then: what an exception frees on
// its way was not meant to die there.
void forget_after(std::uint64_t sequence, std::vector<Evidence>& evidence);

}  // namespace strata::analysis
