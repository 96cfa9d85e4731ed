// SPDX-License-Identifier: Apache-2.0
// Tells the session which module's backward runs, on the thread that runs it. A module's range begins with
// the first node that its forward made and lies within the ranges of the modules around it, as in forward; it
// ends when a node outside of it begins, or with the backward. Autograd runs the nodes in the reverse order
// of their making, so that each forward of a module has one range. Gradients are accumulated within the range
// of the module that made them.
#pragma once

#include <ATen/record_function.h>

#include <memory>
#include <mutex>
#include <unordered_map>

#include "host/trainer/backward/graph_modules.hpp"
#include "host/trainer/backward/open_modules.hpp"
#include "strata/runtime/session.hpp"

namespace strata::trainer {

// [driver] One at a time: torch's callbacks carry nothing of ours. Made before the run begins, so that a
// source that watches operators sees each node within its module's range.
class BackwardModules {
 public:
  // `session` outlives this.
  explicit BackwardModules(Session& session);
  ~BackwardModules();
  BackwardModules(const BackwardModules&) = delete;
  BackwardModules& operator=(const BackwardModules&) = delete;

  // Where forward says whose nodes it makes.
  GraphModules& graph() { return graph_; }

 private:
  static std::unique_ptr<at::ObserverContext> begin_node(const at::RecordFunction& node);
  static void end_node(const at::RecordFunction& node, at::ObserverContext* context);

  OpenModules& open_on(std::uint64_t thread);

  Session& session_;
  GraphModules graph_;
  std::mutex mutex_;  // of the table, not of what it holds: that is its thread's
  std::unordered_map<std::uint64_t, OpenModules> threads_;
  at::CallbackHandle callback_;
};

}  // namespace strata::trainer
