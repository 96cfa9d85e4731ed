// SPDX-License-Identifier: Apache-2.0
// A range for each running layer, pushed and popped on the thread that runs it. Backward and recomputation
// run on autograd's threads if the device has one.
//
// The loop thread's own phase is then on another thread, and tools that project ranges onto the GPU by the
// launching thread would show nothing in "backward". So the outermost range on such a thread is pushed inside
// a range with the phase's name.
//
// Threads: [any]. At the run's end, open ranges are ended on another thread than the one that began them.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "plugins/nvtx_markers/domain.hpp"
#include "plugins/nvtx_markers/thread_ranges.hpp"
#include "strata/ext/module.h"
#include "strata/ext/phase.h"

namespace strata::nvtx_markers {

class LayerRanges {
 public:
  LayerRanges(Domain& domain, ThreadRanges& threads) : domain_(domain), threads_(threads) {}

  // [loop-thread] Sets the thread that drives now.
  void set_loop_thread(std::uint32_t thread) noexcept {
    loop_thread_.store(thread, std::memory_order_relaxed);
  }
  // [loop-thread] Phases nest.
  void begin_phase(std::uint32_t kind, nvtxStringHandle_t name);
  void end_phase();

  // Returns the number of ranges pushed; pass it to the end.
  std::uint64_t begin(const strata_when& when, const strata_module_info& module);
  void end(const strata_when& when, std::uint64_t pushed);

 private:
  struct Phase {
    std::uint32_t kind = STRATA_PHASE_OTHER;
    nvtxStringHandle_t name = nullptr;
  };

  void set_phase(const Phase& innermost) noexcept;
  bool push_phase(const strata_when& when, const strata_module_info& module);
  void name_this_thread(std::uint32_t thread) const noexcept;

  Domain& domain_;
  ThreadRanges& threads_;
  std::vector<Phase> phases_;  // the loop thread's, outermost first
  std::atomic<std::uint32_t> loop_thread_{0};
  std::atomic<std::uint32_t> phase_kind_{STRATA_PHASE_OTHER};
  std::atomic<nvtxStringHandle_t> phase_{nullptr};
};

}  // namespace strata::nvtx_markers
