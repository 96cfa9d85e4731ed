// SPDX-License-Identifier: Apache-2.0
// The ranges of the loop thread: the window, steps, micro-batches, phases.
//
// Each is reported twice. First as a push and a pop on the driving thread: these nest, and tools use them to
// project work launched by that thread onto the GPU. Second as a start and an end in the process: these
// remain correct if other threads do a step's work, and if the loop moves from one thread to another. The
// window, which only marks an interval, is reported only in the second way.
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
  // A phase directly inside a step may begin that step's next micro-batch, or end the last one.
  void begin_phase(const strata_when& when, const strata_phase_info& phase, const EndPayload& now);
  void end_phase(const EndPayload& end);

 private:
  struct Open {
    nvtxRangeId_t process_range;
    std::uint32_t thread;  // the thread that pushed it
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
