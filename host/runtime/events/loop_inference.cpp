// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/events/loop_inference.hpp"

#include <algorithm>

#include "strata/ext/phase.h"
#include "strata/ext/training.h"

namespace strata {
namespace {

// PyTorch's names: "Optimizer.step#AdamW.step", "Optimizer.zero_grad#AdamW.zero_grad",
// "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__".
constexpr std::string_view kOptimizerStep = "Optimizer.step#";
constexpr std::string_view kZeroGrad = "Optimizer.zero_grad#";
constexpr std::string_view kDataLoader = "enumerate(DataLoader)#";

// The number of optimizer steps in which a closure that calls forward is searched for, before assuming that
// there is none.
constexpr std::uint64_t kStepsLookedInto = 3;

constexpr const char* kOptimizerName = "optimizer";

}  // namespace

std::uint32_t LoopInference::saw(std::uint32_t what, std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (is_open(Part::kOutsideTraining)) {
    ended_aside(what, name);
    return wanted();
  }
  switch (what) {
    case STRATA_TRAINING_FORWARD:
      forward();
      break;
    case STRATA_TRAINING_BACKWARD_BEGIN:
      begin_backward();
      break;
    case STRATA_TRAINING_BACKWARD_END:
      end_backward();
      break;
    case STRATA_TRAINING_RECOMPUTE_BEGIN:
      begin_recompute();
      break;
    case STRATA_TRAINING_RECOMPUTE_END:
      if (is_innermost(Part::kRecompute)) close_innermost();
      break;
    case STRATA_TRAINING_RANGE_BEGIN:
      begin_range(name);
      break;
    case STRATA_TRAINING_RANGE_END:
      end_range(name);
      break;
    case STRATA_TRAINING_PARAMETER_WRITE_BEGIN:
      begin_write();
      break;
    case STRATA_TRAINING_PARAMETER_WRITE_END:
      end_write();
      break;
    default:
      break;  // of a later source
  }
  return wanted();
}

// A phase marked by another thread, such as one that saves, may begin before a backward or an optimizer ends.
// Its phases end with the next part.
void LoopInference::ended_aside(std::uint32_t what, std::string_view name) {
  if (what == STRATA_TRAINING_BACKWARD_END && in_backward_) {
    in_backward_ = false;
    ++micro_batches_;
  }
  const bool ends_optimizer = what == STRATA_TRAINING_RANGE_END && name.starts_with(kOptimizerStep);
  if (ends_optimizer && optimizer_depth_ > 0 && --optimizer_depth_ == 0) ++named_steps_;
}

void LoopInference::forward() {
  if (!is_innermost(Part::kForward)) {
    close_conflicting_phases(Part::kForward);
    open(Part::kForward, "forward");
  }
  in_forward_ = true;
}

void LoopInference::begin_backward() {
  close_conflicting_phases(Part::kBackward);
  open(Part::kBackward, "backward");
  in_backward_ = true;
  in_forward_ = false;
}

void LoopInference::end_backward() {
  close(Part::kBackward);
  in_backward_ = false;
  ++micro_batches_;
}

void LoopInference::begin_recompute() {
  if (is_innermost(Part::kBackward)) open(Part::kRecompute, "recompute");
}

void LoopInference::begin_range(std::string_view name) {
  if (name.starts_with(kOptimizerStep)) {
    if (optimizer_depth_ > 0) {
      ++optimizer_depth_;
      return;
    }
    close_conflicting_phases(Part::kOptimizer);
    ++optimizer_depth_;
    open(Part::kOptimizer, name.substr(kOptimizerStep.size()));
  } else if (name.starts_with(kZeroGrad)) {
    close_conflicting_phases(Part::kZeroGrad);
    open(Part::kZeroGrad, "zero_grad");
  } else if (name.starts_with(kDataLoader)) {
    close_conflicting_phases(Part::kData);
    open(Part::kData, "data");
  }
}

void LoopInference::end_range(std::string_view name) {
  if (name.starts_with(kOptimizerStep)) {
    if (optimizer_depth_ == 0 || --optimizer_depth_ > 0) return;
    close(Part::kOptimizer);
    ++named_steps_;
    optimizer_ended();
  } else if (name.starts_with(kZeroGrad)) {
    close(Part::kZeroGrad);
  } else if (name.starts_with(kDataLoader)) {
    close(Part::kData);
  }
}

// Before the first backward of a step they are those of an initialisation, or of a weight's average.
void LoopInference::begin_write() {
  if (optimizer_depth_ > 0 || micro_batches_ == 0 || in_backward_) return;
  if (is_open(Part::kOptimizer)) return;
  close(Part::kForward);
  open(Part::kOptimizer, kOptimizerName);
}

void LoopInference::end_write() {
  if (optimizer_depth_ > 0 || !is_concluded(Part::kOptimizer)) return;
  ++writes_;
  if (writes_in_a_step_ && writes_ == *writes_in_a_step_) end_writes();
}

// Any evidence after the last write of an optimizer without a named range ends it.
void LoopInference::end_writes() {
  if (optimizer_depth_ > 0 || !is_concluded(Part::kOptimizer)) return;
  close(Part::kOptimizer);
  optimizer_ended();
}

void LoopInference::optimizer_ended() {
  optimizer_ran_ = true;
  marks_.optimizer_ended();
}

void LoopInference::close_conflicting_phases(Part part) {
  switch (part) {
    case Part::kForward:
      close(Part::kBackward);  // one that was given up
      in_backward_ = false;
      if (optimizer_depth_ > 0) {
        has_closures_ = true;
      } else {
        end_writes();
        expect_step();
      }
      if (micro_batches_ > 0 && concludes_micro_batches_) marks_.begin_micro_batch(micro_batches_);
      break;
    case Part::kBackward:
      close(Part::kBackward);
      close(Part::kForward);
      if (optimizer_depth_ > 0) break;
      end_writes();
      expect_step();
      break;
    case Part::kOptimizer:
      if (in_backward_) break;  // a parameter with its gradient: backward needs the rest
      close(Part::kBackward);
      close(Part::kForward);
      end_writes();
      if (!step_open_) expect_step();
      break;
    case Part::kZeroGrad:
      end_writes();
      break;
    case Part::kData:
      if (optimizer_depth_ > 0) break;
      close(Part::kForward);
      end_writes();
      expect_step();
      break;
    case Part::kOutsideTraining:
    case Part::kOther:
      close(Part::kForward);
      end_writes();
      break;
    case Part::kRecompute:
      break;
  }
}

void LoopInference::expect_step() {
  if (!concludes_steps_ && step_marks_ != StepMarks::kAtTheEnd) return;
  if (concludes_steps_ && optimizer_ran_) end_step(unknown_result());
  if (!step_open_) begin_step({.index = next_step_});
}

void LoopInference::begin_step(const StepMark& step) {
  marks_.begin_step(step);
  step_open_ = true;
  open_outside_step_ = open_.size();
  optimizer_ran_ = false;
  micro_batches_ = 0;
  writes_ = 0;
}

void LoopInference::end_step(strata_step_result result) {
  end_writes();
  while (open_.size() > open_outside_step_) close_innermost();
  if (optimizer_ran_) result.optimizer_ran = 1;
  marks_.end_step(result);
  if (writes_ > 0) writes_in_a_step_ = writes_;
  ++next_step_;
  step_open_ = optimizer_ran_ = false;
  micro_batches_ = 0;
}

void LoopInference::open(Part part, std::string_view name) {
  static constexpr std::uint32_t kKinds[] = {STRATA_PHASE_DATA,    STRATA_PHASE_ZERO_GRAD,
                                             STRATA_PHASE_FORWARD, STRATA_PHASE_BACKWARD,
                                             STRATA_PHASE_FORWARD, STRATA_PHASE_OPTIMIZER};
  const auto index = static_cast<std::size_t>(part);
  if ((parts_of_program_ >> index & 1U) != 0) return;
  open_.push_back({part, marks_.begin_phase(kKinds[index], name, true), false});
}

void LoopInference::close_innermost() {
  marks_.end_phase(open_.back().phase);
  open_.pop_back();
}

void LoopInference::close(Part part) {
  if (!is_concluded(part)) return;
  while (!is_innermost(part) || open_.back().is_programs) close_innermost();
  close_innermost();
}

bool LoopInference::is_open(Part part) const {
  return std::ranges::any_of(open_, [&](const Open& open) { return open.part == part; });
}

bool LoopInference::is_concluded(Part part) const {
  return std::ranges::any_of(open_, [&](const Open& open) { return open.part == part && !open.is_programs; });
}

void LoopInference::finish() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;  // at a process's exit, of a thread that is gone
  end_writes();
  const bool is_whole = concludes_steps_ ? optimizer_ran_ : step_marks_ != StepMarks::kNone;
  if (step_open_ && is_whole) end_step(unknown_result());
}

std::uint32_t LoopInference::wanted() const {
  if (in_backward_ || (in_forward_ && is_innermost(Part::kForward))) return 0;
  std::uint32_t wanted = 0;
  const bool looks_for_closures = has_closures_ || named_steps_ < kStepsLookedInto;
  if (optimizer_depth_ == 0 || looks_for_closures) wanted |= STRATA_TRAINING_WATCH_FORWARD;
  if (optimizer_depth_ == 0 && named_steps_ == 0 && micro_batches_ > 0)
    wanted |= STRATA_TRAINING_WATCH_PARAMETER_WRITES;
  return wanted;
}

}  // namespace strata
