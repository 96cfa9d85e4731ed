// SPDX-License-Identifier: Apache-2.0
// What one plugin listens to, asked once after `create` and laid out so that the fan-out needs no further
// questions.
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

// After so many faults a plugin gets no further begins and events, from the next step edge on.
inline constexpr std::uint64_t kFaultLimit = 8;

// Listeners are copied here in full size: a member that the plugin left null, an interface it does not have
// and a field that its ABI minor did not know are all null alike.
struct ListenerSet {
  std::string id;  // of the plugin; empty: the host's own recorder
  void* self = nullptr;
  bool whole_run = false;  // outside the active window as well
  bool source = false;
  std::atomic<std::uint64_t>* faults = nullptr;  // counts what it throws; outlives the session
  const std::atomic<bool>* gave_up = nullptr;    // it said that it cannot go on; outlives the session

  // Whether there is anything between the run's begin and end that it hears.
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

// Asks for each interface. Whatever the plugin throws passes through.
ListenerSet ask_listeners(strata_plugin& plugin);

}  // namespace strata
