// SPDX-License-Identifier: Apache-2.0
// The listeners of each event as flat arrays: one table for inside the active window, one for outside.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "host/runtime/events/listener_set.hpp"
#include "host/runtime/events/range_stack.hpp"
#include "strata/ext/emit.h"

namespace strata {

// In `Routes::interest`, in addition to STRATA_INTEREST_*.
inline constexpr std::uint32_t kInterestModule = 1u << 31;

// The listeners of one event, in load order. `Function` is the type of the member, a function pointer; null
// if a plugin listens only to the end of a range.
template <typename Function>
struct Route {
  struct Call {
    Function function;
    void* self;
    std::uint32_t listener;
  };
  std::array<Call, kMaximumListeners> calls{};
  std::uint32_t count = 0;

  const Call* begin() const noexcept { return calls.data(); }
  const Call* end() const noexcept { return calls.data() + count; }
  bool empty() const noexcept { return count == 0; }
};

struct Routes {
  bool open = false;   // a run is on
  bool ended = false;  // no run will begin any more
  std::uint32_t interest = 0;
  Route<decltype(strata_memory_listener::on_memory)> memory{};
  Route<decltype(strata_graph_listener::on_graph)> graph{};
  Route<decltype(strata_tensor_listener::on_tensor)> tensor{};
  Route<decltype(strata_activity_listener::on_activity)> activity{};
  Route<decltype(strata_step_listener::begin)> step{};
  Route<decltype(strata_phase_listener::begin)> phase{};
  Route<decltype(strata_module_listener::begin)> module{};
  Route<decltype(strata_op_listener::begin)> op{};
};

inline constinit const Routes kEndedRoutes{.ended = true};

// The table for inside or outside the window. Listeners that have used up their faults are left out.
Routes make_routes(const std::vector<ListenerSet>& listeners, bool in_window);

}  // namespace strata
