// SPDX-License-Identifier: Apache-2.0
// Handles the program's own marks, and what remains to be inferred.
#include <algorithm>

#include "host/runtime/events/loop_inference.hpp"
#include "strata/ext/phase.h"

namespace strata {

LoopInference::Part LoopInference::part_of(std::uint32_t kind) {
  switch (kind) {
    case STRATA_PHASE_DATA:
    case STRATA_PHASE_HOST_TO_DEVICE:
      return Part::kData;
    case STRATA_PHASE_FORWARD:
    case STRATA_PHASE_LOSS:
      return Part::kForward;
    case STRATA_PHASE_BACKWARD:
      return Part::kBackward;
    case STRATA_PHASE_OPTIMIZER:
      return Part::kOptimizer;
    case STRATA_PHASE_ZERO_GRAD:
      return Part::kZeroGrad;
    case STRATA_PHASE_SETUP:
    case STRATA_PHASE_EVALUATION:
    case STRATA_PHASE_CHECKPOINT_SAVE:
      return Part::kOutsideTraining;
    default:
      return Part::kOther;
  }
}

void LoopInference::program_begins_step(const StepMark& step) {
  const std::lock_guard lock(mutex_);
  if (step_open_ && concludes_steps_) end_step(unknown_result());
  if (concludes_steps_) first_of_program_ = next_step_;
  concludes_steps_ = false;
  if (step_open_) {
    open_.resize(
        std::min(open_.size(), open_outside_step_));  // the loop thread ends it and reports the error
  } else {
    close(Part::kForward);
    end_writes();
  }
  begin_step({step.index + first_of_program_, step.micro_batches, step.epoch});
}

void LoopInference::program_marks_step(const strata_step_result& result) {
  const std::lock_guard lock(mutex_);
  if (step_marks_ == StepMarks::kNone) {
    const bool trained = step_open_ && (in_forward_ || micro_batches_ > 0 || optimizer_ran_);
    step_marks_ = trained ? StepMarks::kAtTheEnd : StepMarks::kAtTheTop;
    concludes_steps_ = false;
    if (!trained && step_open_) return;  // the batch that this iteration begins with has opened its step
  }
  if (step_open_) end_step(result);
  if (step_marks_ == StepMarks::kAtTheTop) begin_step({.index = next_step_});
}

void LoopInference::program_begins_micro_batch(std::uint32_t index) {
  const std::lock_guard lock(mutex_);
  concludes_micro_batches_ = false;
  marks_.begin_micro_batch(index);
}

void LoopInference::program_ends_step(const strata_step_result& result) {
  const std::lock_guard lock(mutex_);
  if (concludes_steps_ || !step_open_) return marks_.end_step(result);  // which reports the error
  end_step(result);
}

std::uint32_t LoopInference::program_begins_phase(std::uint32_t kind, std::string_view name) {
  const std::lock_guard lock(mutex_);
  const Part part = part_of(kind);
  const bool is_within_its_like = is_innermost(part) && open_.back().is_programs;  // a loss inside a forward
  if (!is_open(Part::kOutsideTraining) && !is_within_its_like) close_conflicting_phases(part);
  parts_of_program_ |= 1U << static_cast<unsigned>(part);
  if (part == Part::kForward) in_forward_ = true;
  const std::uint32_t phase = marks_.begin_phase(kind, name, false);
  open_.push_back({part, phase, true});
  return phase;
}

void LoopInference::program_ends_phase(std::uint32_t phase) {
  const std::lock_guard lock(mutex_);
  std::size_t inside = open_.size();
  while (inside > 0 && !(open_[inside - 1].is_programs && open_[inside - 1].phase == phase)) --inside;
  if (inside == 0) return;
  const Part part = open_[inside - 1].part;
  while (open_.size() >= inside) close_innermost();
  if (part == Part::kOptimizer && !is_open(Part::kOptimizer)) optimizer_ended();
}

}  // namespace strata
