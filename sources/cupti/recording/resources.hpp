// SPDX-License-Identifier: Apache-2.0
// What CUPTI calls back about, because it has no records of it: device code that was loaded, and the nodes of
// graphs as they are made.
//
// A kernel of a graph carries the number of its node. A capture makes the nodes inside the operators that ask
// for them; the executable graph clones them. So the operator of a node is known if the graph was captured
// while this was open.
//
// [any] CUPTI calls `hear` on the program's threads. No call of CUPTI is made with the lock held.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sources/cupti/records/graph_nodes.hpp"
#include "sources/cupti/records/loaded_module.hpp"
#include "sources/cupti/subscription/functions.hpp"

namespace strata::cupti {

class Resources final : public GraphNodes {
 public:
  // What is heard from here until `close` is kept.
  void open(const Functions& functions);
  void close();
  void hear(CUpti_CallbackId event, const CUpti_ResourceData& data) noexcept;

  // The calling thread is inside `origin` until `pop`.
  void push(const Origin& origin);
  void pop() noexcept;

  // Since the last such question.
  std::vector<LoadedModule> take_modules();
  std::optional<Origin> origin_of(std::uint64_t node) const override;

 private:
  struct Questions {
    decltype(&::cuptiGetContextId) context = nullptr;
    decltype(&::cuptiGetGraphNodeId) node = nullptr;
    std::uint64_t opening = 0;  // counted; 0: closed
  };
  Questions questions() const;
  void hear_module(const CUpti_ResourceData& data);
  void hear_node(CUpti_CallbackId event, const CUpti_GraphData& graph);

  mutable std::mutex mutex_;
  Questions questions_;
  std::uint64_t openings_ = 0;
  std::atomic<std::uint64_t> opening_{0};  // that of questions_: what `push` asks at each op
  std::vector<LoadedModule> modules_;
  std::unordered_map<std::uint64_t, Origin> nodes_;
};

// Of the process: CUPTI's callbacks have nothing else by which they would find it. Never destroyed.
Resources& process_resources();

}  // namespace strata::cupti
