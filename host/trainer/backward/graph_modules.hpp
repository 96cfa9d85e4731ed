// SPDX-License-Identifier: Apache-2.0
// Which module's forward made which nodes of the backward graph. Autograd numbers the nodes that a thread
// makes one after another, so that a module's are those between its begin and its end, less those of the
// modules within it.
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
  std::uint64_t ordinal = 0;  // never the same twice
  const ModuleVisit* outer = nullptr;
  std::string path;
  std::string type;
};

// Nodes that one visit made one after another.
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
  // [any] Nodes that the calling thread adds to the graph belong to this visit until `leave`. Visits nest on
  // a thread.
  void enter(std::string_view path, std::string_view type);
  void leave();

  // [any] The visit that made the node, and the nodes around it that the same visit made. `thread` and
  // `sequence` are autograd's own numbers of the node. The visit is valid until `forget`.
  MadeNodes nodes_around(std::uint64_t thread, std::uint64_t sequence) const;

  // [loop-thread] Forgets all visits: no graph made so far is needed any more. No visit is open, and no
  // backward runs.
  void forget();

 private:
  // `visit` made the nodes from `first` on, up to the first of the next interval.
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

  mutable std::mutex mutex_;  // of all: a layer that runs again does so on a thread of autograd's
  std::unordered_map<std::uint64_t, Thread> threads_;
  std::uint64_t visits_ = 0;
};

}  // namespace strata::trainer
