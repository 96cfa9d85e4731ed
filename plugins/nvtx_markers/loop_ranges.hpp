// SPDX-License-Identifier: Apache-2.0
// The ranges of the loop thread: the window, steps, micro-batches, phases.
//
// Each is told twice. A push and a pop on the thread that drives: they nest, and tools project what that
// thread launched onto the GPU by them. A start and an end of the process: they hold when other threads do a
// step's work, and also when the loop thread moves from one thread to another in the middle. The window,
// which only says from where to where, has the second alone.
//
// [loop-thread]
#pragma once

#include <cstdint>
#include <vector>

#include "plugins/nvtx_markers/domain.hpp"
#include "plugins/nvtx_markers/thread_ranges.hpp"
#include "strata/ext/phase.h"
#include "strata/ext/step.h"

namespace strata::nvtx_markers {

class LoopRanges {
 public:
  LoopRanges(Domain& domain, ThreadRanges& threads);

  void open_window(const strata_step_info& first);
  void close_window();
  bool window_open() const noexcept { return window_open_; }

  void begin_step(const strata_when& when, const strata_step_info& step);
  void end_step(const EndPayload& end);
  // A phase directly within a step may open that step's next micro-batch, or end the last one.
  void begin_phase(const strata_when& when, const strata_phase_info& phase, const EndPayload& now);
  void end_phase(const EndPayload& end);

 private:
  struct Open {
    nvtxRangeId_t process_range;
    std::uint32_t thread;  // that pushed it
  };

  void open(const strata_when& when, const Range& range);
  void close(const EndPayload& end);
  void close_micro_batch(const EndPayload& end);

  Domain& domain_;
  ThreadRanges& threads_;
  const nvtxStringHandle_t window_text_, step_text_, micro_batch_text_, tokens_text_;
  std::vector<Open> open_;  // outermost first
  bool window_open_ = false;
  nvtxRangeId_t window_ = 0;
  bool in_step_ = false;
  std::uint32_t phases_in_step_ = 0;  // open ones
  bool in_micro_batch_ = false;
  std::uint32_t micro_batch_ = 0;
};

}  // namespace strata::nvtx_markers
