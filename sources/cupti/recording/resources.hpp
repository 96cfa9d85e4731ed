// SPDX-License-Identifier: Apache-2.0
// Handles the CUPTI callbacks for things that have no records: loading of device code, and creation of graph
// nodes.
//
// A kernel of a graph carries the number of its node. A capture creates the nodes inside the operators that
// request them; the executable graph clones them. So the operator of a node is known if the graph was
// captured while this was open.
//
// [any] CUPTI calls `hear` on the program's threads. CUPTI is never called with the lock held.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sources/cupti/api/functions.hpp"
#include "sources/cupti/records/graph_nodes.hpp"
#include "sources/cupti/records/loaded_module.hpp"

namespace strata::cupti {

class Resources final : public GraphNodes {
 public:
  // Callbacks from here until `close` are kept.
  void open(const Functions& functions);
  void close();
  void hear(CUpti_CallbackId event, const CUpti_ResourceData& data) noexcept;

  // The calling thread is inside `origin` until `pop`.
  void push(const Origin& origin);
  void pop() noexcept;

  // Modules since the last call.
  std::vector<LoadedModule> take_modules();
  std::optional<Origin> origin_of(std::uint64_t node) const override;

 private:
  struct Questions {
    decltype(&::cuptiGetContextId) context = nullptr;
    decltype(&::cuptiGetGraphNodeId) node = nullptr;
    std::uint64_t opening = 0;  // a counter; 0: closed
  };
  Questions questions() const;
  void hear_module(const CUpti_ResourceData& data);
  void hear_node(CUpti_CallbackId event, const CUpti_GraphData& graph);

  mutable std::mutex mutex_;
  Questions questions_;
  std::uint64_t openings_ = 0;
  std::atomic<std::uint64_t> opening_{0};  // that of questions_: read by `push` at each op
  std::vector<LoadedModule> modules_;
  std::unordered_map<std::uint64_t, Origin> nodes_;
};

// The instance of the process: CUPTI's callbacks have no other way to find it. Never destroyed.
Resources& process_resources();

}  // namespace strata::cupti
