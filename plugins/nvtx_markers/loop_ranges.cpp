// SPDX-License-Identifier: Apache-2.0
#include "plugins/nvtx_markers/loop_ranges.hpp"

#include "plugins/nvtx_markers/colours.hpp"

namespace strata::nvtx_markers {
namespace {

// The relation of a phase to the micro-batch: it belongs to one, it comes after all of them, or it may do
// either (gradients are also zeroed before the first backward, ranks send each other buffers before a
// forward, and a phase known only by name can be anything).
enum class Place { kWithin, kAfter, kEither };

Place place_of(std::uint32_t kind) {
  switch (kind) {
    case STRATA_PHASE_DATA:
    case STRATA_PHASE_HOST_TO_DEVICE:
    case STRATA_PHASE_FORWARD:
    case STRATA_PHASE_LOSS:
    case STRATA_PHASE_BACKWARD:
      return Place::kWithin;
    case STRATA_PHASE_CLIP:
    case STRATA_PHASE_OPTIMIZER:
    case STRATA_PHASE_CHECKPOINT_SAVE:
    case STRATA_PHASE_EVALUATION:
      return Place::kAfter;
    default:
      return Place::kEither;
  }
}

}  // namespace

LoopRanges::LoopRanges(Domain& domain, ThreadRanges& threads)
    : domain_(domain),
      threads_(threads),
      window_text_(domain.string("window")),
      step_text_(domain.string("step")),
      micro_batch_text_(domain.string("micro-batch")),
      tokens_text_(domain.string("tokens")) {}

void LoopRanges::open_window(const strata_step_info& first) {
  window_open_ = true;
  window_ = domain_.start({window_text_, Category::kWindow, kWindowColour, first.index});
}

void LoopRanges::close_window() {
  if (window_open_) domain_.end(window_);
  window_open_ = false;
}

void LoopRanges::begin_step(const strata_when& when, const strata_step_info& step) {
  open(when, {step_text_, Category::kStep, kStepColour, step.index});
  in_step_ = true;
  phases_in_step_ = 0;
}

void LoopRanges::end_step(const EndPayload& end) {
  close_micro_batch(end);
  if (!domain_.takes_end_payloads()) domain_.mark({tokens_text_, Category::kStep, kStepColour, end.tokens});
  close(end);
  in_step_ = false;
}

void LoopRanges::begin_phase(const strata_when& when, const strata_phase_info& phase, const EndPayload& now) {
  if (in_step_ && phases_in_step_++ == 0) {
    const Place place = place_of(phase.kind);
    if (place == Place::kAfter || when.micro_batch != micro_batch_) close_micro_batch(now);
    if (place == Place::kWithin && !in_micro_batch_) {
      open(when, {micro_batch_text_, Category::kMicroBatch, kMicroBatchColour, when.micro_batch});
      in_micro_batch_ = true;
      micro_batch_ = when.micro_batch;
    }
  }
  open(when, {domain_.string(phase.name), Category::kPhase, phase_colour(phase.kind), step_payload(when)});
}

void LoopRanges::end_phase(const EndPayload& end) {
  if (in_step_ && phases_in_step_ != 0) --phases_in_step_;
  close(end);
}

void LoopRanges::open(const strata_when& when, const Range& range) {
  const nvtxRangeId_t process_range = domain_.start(range);
  threads_.push(range);
  open_.push_back({process_range, when.thread});
}

void LoopRanges::close(const EndPayload& end) {
  if (open_.empty()) return;
  const Open innermost = open_.back();
  open_.pop_back();
  threads_.pop(innermost.thread, end);
  domain_.end(innermost.process_range);
}

void LoopRanges::close_micro_batch(const EndPayload& end) {
  if (!in_micro_batch_) return;
  EndPayload of_micro_batch = end;
  of_micro_batch.micro_batch = micro_batch_;
  of_micro_batch.tokens = 0;
  close(of_micro_batch);
  in_micro_batch_ = false;
}

}  // namespace strata::nvtx_markers
