// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/events/listener_set.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace strata {
namespace {

template <typename Listener>
Listener ask(strata_plugin& plugin, const char* id) {
  Listener whole{};
  if (const void* given = plugin.listener(&plugin, id); given != nullptr) {
    std::uint32_t struct_size = 0;
    std::memcpy(&struct_size, given, sizeof struct_size);
    std::memcpy(&whole, given, std::min<std::size_t>(struct_size, sizeof whole));
  }
  return whole;
}

}  // namespace

bool ListenerSet::hears_events() const noexcept {
  return step.begin != nullptr || step.end != nullptr || phase.begin != nullptr || phase.end != nullptr ||
         module.begin != nullptr || module.end != nullptr || op.begin != nullptr || op.end != nullptr ||
         tensor.on_tensor != nullptr || memory.on_memory != nullptr || graph.on_graph != nullptr ||
         activity.on_activity != nullptr;
}

ListenerSet ask_listeners(strata_plugin& plugin) {
  ListenerSet set;
  set.self = plugin.self;
  set.run = ask<strata_run_listener>(plugin, STRATA_EXT_RUN);
  set.step = ask<strata_step_listener>(plugin, STRATA_EXT_STEP);
  set.phase = ask<strata_phase_listener>(plugin, STRATA_EXT_PHASE);
  set.module = ask<strata_module_listener>(plugin, STRATA_EXT_MODULE);
  set.tensor = ask<strata_tensor_listener>(plugin, STRATA_EXT_TENSOR);
  set.memory = ask<strata_memory_listener>(plugin, STRATA_EXT_MEMORY);
  set.op = ask<strata_op_listener>(plugin, STRATA_EXT_OP);
  set.graph = ask<strata_graph_listener>(plugin, STRATA_EXT_GRAPH);
  set.activity = ask<strata_activity_listener>(plugin, STRATA_EXT_ACTIVITY);
  set.flush = ask<strata_flush_listener>(plugin, STRATA_EXT_FLUSH);
  return set;
}

}  // namespace strata
