// SPDX-License-Identifier: Apache-2.0
// A range for each layer at work, pushed and popped on the thread that does it. Backward and recomputation
// run on autograd's threads where the device has one.
//
// There the loop thread's own phase is on another thread, and tools that project ranges onto the GPU by the
// thread that launched would find nothing in "backward". So what is outermost on such a thread is pushed
// within a range that has the phase's name.
//
// Threads: [any]; ends of what is open at the run's end come on another thread than their begins.
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

  // [loop-thread] The thread that drives now.
  void set_loop_thread(std::uint32_t thread) noexcept {
    loop_thread_.store(thread, std::memory_order_relaxed);
  }
  // [loop-thread] Phases nest.
  void begin_phase(std::uint32_t kind, nvtxStringHandle_t name);
  void end_phase();

  // How many ranges were pushed, which the end is given.
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
