// SPDX-License-Identifier: Apache-2.0
// Tells the session which module's backward runs, on the thread that runs it. A module's range begins with
// the first node that its forward made and lies within the ranges of the modules around it, as in forward; it
// ends when a node outside of it begins, or with the backward. Autograd runs the nodes in the reverse order
// of their making, so that each forward of a module has one range. Gradients are accumulated within the range
// of the module that made them.
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

// The backward ranges that one thread of autograd has open: those of the module whose nodes it runs, and of
// the modules around it.
class OpenModules {
 public:
  // `session` outlives this.
  explicit OpenModules(Session& session) : session_(session) {}
  OpenModules(const OpenModules&) = delete;
  OpenModules& operator=(const OpenModules&) = delete;

  bool empty() const { return open_.empty(); }

  // Whether the node is among those of the last `turn_to`.
  bool are_of(std::uint64_t thread, std::uint64_t sequence) const { return nodes_.hold(thread, sequence); }
  // Ends the ranges that the nodes' visit is not within, and begins those that it is within and that are not
  // open yet. Held ranges stay.
  void turn_to(const MadeNodes& nodes);

  // A node begins, which may run a backward of its own: open ranges stay until `release`, which takes what
  // `hold` returned.
  std::size_t hold();
  // The node has ended, and with it the ranges that were begun within it. When it `failed`, no other will
  // follow: all ranges end that no node around it holds.
  void release(std::size_t held_before, bool failed);

  void end_all() { end_down_to(0); }

 private:
  struct Open {
    std::uint64_t visit;  // ModuleVisit::ordinal: the visit itself may be forgotten
    std::uint32_t range;
  };

  void end_down_to(std::size_t depth);

  Session& session_;
  MadeNodes nodes_;                         // whose modules are open
  std::vector<Open> open_;                  // outermost first
  std::vector<const ModuleVisit*> wanted_;  // innermost first; kept for its memory
  std::size_t held_ = 0;
};

// [loop-thread] One at a time: torch's callbacks carry no argument of ours. Made before the run begins, so
// that a source that watches operators sees each node within its module's range.
class BackwardModules {
 public:
  // `session` outlives this.
  explicit BackwardModules(Session& session);
  ~BackwardModules();
  BackwardModules(const BackwardModules&) = delete;
  BackwardModules& operator=(const BackwardModules&) = delete;

  // Forward notes here which module makes which nodes.
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
