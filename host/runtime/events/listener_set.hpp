// SPDX-License-Identifier: Apache-2.0
// The listeners of one plugin, requested once after `create` and laid out for direct use by the fan-out.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "strata/ext/activity.h"
#include "strata/ext/flush.h"
#include "strata/ext/graph.h"
#include "strata/ext/memory.h"
#include "strata/ext/module.h"
#include "strata/ext/op.h"
#include "strata/ext/phase.h"
#include "strata/ext/run.h"
#include "strata/ext/step.h"
#include "strata/ext/tensor.h"
#include "strata/plugin.h"

namespace strata {

// After this many faults a plugin gets no further begins and events, from the next step boundary on.
inline constexpr std::uint64_t kFaultLimit = 8;

// Listeners are copied here at full size. A member that the plugin left null, an interface that it does not
// have and a field unknown to its ABI minor are all null.
struct ListenerSet {
  std::string id;  // of the plugin; empty: the host's own recorder
  void* self = nullptr;
  bool whole_run = false;  // listens outside the active window too
  bool source = false;
  std::atomic<std::uint64_t>* faults = nullptr;  // counts its exceptions; outlives the session
  const std::atomic<bool>* gave_up = nullptr;    // it reported that it cannot continue; outlives the session

  // Whether it listens to anything between the run's begin and end.
  bool hears_events() const noexcept;

  bool failed() const noexcept {
    if (gave_up != nullptr && gave_up->load(std::memory_order_relaxed)) return true;
    return faults != nullptr && faults->load(std::memory_order_relaxed) >= kFaultLimit;
  }

  strata_run_listener run{};
  strata_step_listener step{};
  strata_phase_listener phase{};
  strata_module_listener module{};
  strata_tensor_listener tensor{};
  strata_memory_listener memory{};
  strata_op_listener op{};
  strata_graph_listener graph{};
  strata_activity_listener activity{};
  strata_flush_listener flush{};
};

// Requests each interface. Exceptions of the plugin pass through.
ListenerSet ask_listeners(strata_plugin& plugin);

}  // namespace strata
