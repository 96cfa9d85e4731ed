// SPDX-License-Identifier: Apache-2.0
// The backward ranges that one thread of autograd has open: those of the module whose nodes it runs, and of
// the modules around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/trainer/backward/graph_modules.hpp"
#include "strata/runtime/session.hpp"

namespace strata::trainer {

class OpenModules {
 public:
  // `session` outlives this.
  explicit OpenModules(Session& session) : session_(session) {}
  OpenModules(const OpenModules&) = delete;
  OpenModules& operator=(const OpenModules&) = delete;

  bool empty() const { return open_.empty(); }

  // Whether the last `turn_to` was for this node, too.
  bool are_of(std::uint64_t thread, std::uint64_t sequence) const { return nodes_.hold(thread, sequence); }
  // Ends what the nodes' visit is not within, and begins what it is within and what is not open yet. What is
  // held stays.
  void turn_to(const MadeNodes& nodes);

  // A node begins, which may run a backward of its own: what is open stays until `release`, which takes what
  // `hold` returned.
  std::size_t hold();
  // The node is through: what was begun within it ends. When it `failed`, no other will follow, and all ends
  // that no node around it holds.
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

}  // namespace strata::trainer
