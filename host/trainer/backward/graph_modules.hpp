// SPDX-License-Identifier: Apache-2.0
// Records which module's forward made which nodes of the backward graph. Autograd numbers the nodes made by a
// thread consecutively, so a module's nodes are those between its begin and its end, except those of modules
// within it.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace strata::trainer {

// One forward of one module.
struct ModuleVisit {
  std::uint64_t ordinal = 0;  // unique
  const ModuleVisit* outer = nullptr;
  std::string path;
  std::string type;
};

// Consecutive nodes made by one visit.
struct MadeNodes {
  const ModuleVisit* visit = nullptr;  // null: none was open
  std::uint64_t thread = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;  // 0: it may make more

  bool hold(std::uint64_t of_thread, std::uint64_t sequence) const {
    return of_thread == thread && sequence - first < count;
  }
};

class GraphModules {
 public:
  // [any] Nodes added to the graph by the calling thread belong to this visit until `leave`. Visits nest per
  // thread.
  void enter(std::string_view path, std::string_view type);
  void leave();

  // [any] The visit that made the node, and the consecutive nodes of the same visit around it. `thread` and
  // `sequence` are autograd's numbers of the node. The visit is valid until `forget`.
  MadeNodes nodes_around(std::uint64_t thread, std::uint64_t sequence) const;

  // [loop-thread] Forgets all visits, when no existing graph is needed any more. No visit may be open and no
  // backward running.
  void forget();

 private:
  // `visit` made the nodes from `first` up to the next range's first.
  struct NodeRange {
    std::uint64_t first;
    const ModuleVisit* visit;
  };
  struct Thread {
    std::deque<ModuleVisit> visits;
    std::vector<NodeRange> intervals;
    const ModuleVisit* innermost = nullptr;

    void go_on_as(const ModuleVisit* visit);
  };

  mutable std::mutex mutex_;  // guards everything: a repeated layer runs on one of autograd's threads
  std::unordered_map<std::uint64_t, Thread> threads_;
  std::uint64_t visits_ = 0;
};

}  // namespace strata::trainer
