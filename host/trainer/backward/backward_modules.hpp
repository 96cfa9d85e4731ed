// SPDX-License-Identifier: Apache-2.0
// Reports the module whose backward is running to the session, on the thread that runs it. A module's range
// begins with the first node that its forward made and lies within the ranges of enclosing modules, as in
// forward. It ends when a node of another module begins, or with the backward. Autograd runs nodes in reverse
// order of creation, so each forward of a module has one range. Gradients are accumulated within the range of
// their module.
#pragma once

#include <ATen/record_function.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "host/trainer/backward/graph_modules.hpp"
#include "strata/runtime/session.hpp"

namespace strata::trainer {

// The backward ranges open on one of autograd's threads: those of the module whose nodes are running, and of
// enclosing modules.
class OpenModules {
 public:
  // `session` outlives this.
  explicit OpenModules(Session& session) : session_(session) {}
  OpenModules(const OpenModules&) = delete;
  OpenModules& operator=(const OpenModules&) = delete;

  bool empty() const { return open_.empty(); }

  // Whether the node is among those of the last `turn_to`.
  bool are_of(std::uint64_t thread, std::uint64_t sequence) const { return nodes_.hold(thread, sequence); }
  // Ends open ranges that do not enclose the nodes' visit, and begins missing ones that do. Held ranges stay
  // open.
  void turn_to(const MadeNodes& nodes);

  // A node begins that may run a nested backward: open ranges stay open until `release`. Pass the result to
  // `release`.
  std::size_t hold();
  // The node has ended, and with it ranges begun within it. If it `failed`, no other node follows: all ranges
  // end that no enclosing node holds.
  void release(std::size_t held_before, bool failed);

  void end_all() { end_down_to(0); }

 private:
  struct Open {
    std::uint64_t visit;  // ModuleVisit::ordinal; the visit itself may have been forgotten
    std::uint32_t range;
  };

  void end_down_to(std::size_t depth);

  Session& session_;
  MadeNodes nodes_;                         // of the modules that are open
  std::vector<Open> open_;                  // outermost first
  std::vector<const ModuleVisit*> wanted_;  // innermost first; kept to reuse its memory
  std::size_t held_ = 0;
};

// [loop-thread] One at a time, because torch's callbacks have no user argument. Create it before the run
// begins, so that sources observing operators see each node within its module's range.
class BackwardModules {
 public:
  // `session` outlives this.
  explicit BackwardModules(Session& session);
  ~BackwardModules();
  BackwardModules(const BackwardModules&) = delete;
  BackwardModules& operator=(const BackwardModules&) = delete;

  // Filled by forward: which module makes which nodes.
  GraphModules& graph() { return graph_; }

 private:
  static std::unique_ptr<at::ObserverContext> begin_node(const at::RecordFunction& node);
  static void end_node(const at::RecordFunction& node, at::ObserverContext* context);

  OpenModules& open_on(std::uint64_t thread);

  Session& session_;
  GraphModules graph_;
  std::mutex mutex_;  // guards the table; its entries belong to their threads
  std::unordered_map<std::uint64_t, OpenModules> threads_;
  at::CallbackHandle callback_;
};

}  // namespace strata::trainer
