// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/events/routes.hpp"

namespace strata {
namespace {

template <typename Function>
void add(Route<Function>& route, Function function, const ListenerSet& set, std::uint32_t listener) {
  route.calls[route.count++] = {function, set.self, listener};
}

template <typename Function>
void add_event(Route<Function>& route, Function function, const ListenerSet& set, std::uint32_t listener) {
  if (function != nullptr) add(route, function, set, listener);
}

template <typename Function, typename Listener>
void add_range(Route<Function>& route, const Listener& listens, const ListenerSet& set,
               std::uint32_t listener) {
  if (listens.begin != nullptr || listens.end != nullptr) add(route, listens.begin, set, listener);
}

}  // namespace

Routes make_routes(const std::vector<ListenerSet>& listeners, bool in_window) {
  Routes routes;
  routes.open = true;
  for (std::uint32_t i = 0; i < listeners.size(); ++i) {
    const ListenerSet& set = listeners[i];
    if (set.failed() || !(set.whole_run || in_window)) continue;
    add_event(routes.memory, set.memory.on_memory, set, i);
    add_event(routes.graph, set.graph.on_graph, set, i);
    add_event(routes.tensor, set.tensor.on_tensor, set, i);
    add_event(routes.activity, set.activity.on_activity, set, i);
    add_range(routes.step, set.step, set, i);
    add_range(routes.phase, set.phase, set, i);
    add_range(routes.module, set.module, set, i);
    add_range(routes.op, set.op, set, i);
  }
  if (!routes.memory.empty()) routes.interest |= STRATA_INTEREST_MEMORY;
  if (!routes.graph.empty()) routes.interest |= STRATA_INTEREST_GRAPH;
  if (!routes.tensor.empty()) routes.interest |= STRATA_INTEREST_TENSOR;
  if (!routes.activity.empty()) routes.interest |= STRATA_INTEREST_ACTIVITY;
  if (!routes.op.empty()) routes.interest |= STRATA_INTEREST_OP;
  if (!routes.module.empty()) routes.interest |= kInterestModule;
  return routes;
}

}  // namespace strata
