// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/graph_launch.hpp"

#include <atomic>
#include <optional>
#include <utility>

#include "dry_gpu/clock/clock.hpp"
#include "dry_gpu/device/graph_nodes.hpp"

namespace strata::dry_gpu {

std::unique_ptr<CUgraphExec_st> make_executable(const CUgraph_st& graph, unsigned long long flags) {
  static std::atomic<std::uint32_t> last = 0;
  auto nodes = std::make_shared<std::vector<CUgraphNode_st>>();
  nodes->reserve(graph.nodes.size());
  for (const auto& node : graph.nodes) {
    if (!node->replay) continue;
    nodes->push_back({.type = node->type, .dependencies = {}, .replay = node->replay});
    node_was_made(nodes->back(), node.get());
  }
  return std::make_unique<CUgraphExec_st>(
      CUgraphExec_st{.nodes = std::move(nodes),
                     .objects = graph.objects,
                     .flags = flags,
                     .number = last.fetch_add(1, std::memory_order_relaxed) + 1});
}

cudaError_t launch_graph(Machine& machine, CUstream_st& stream, const CUgraphExec_st& executable) {
  return machine.streams().submit(
      &stream, cudaGraphNodeTypeGraph,
      [clock = machine.clock(), nodes = executable.nodes, graph = executable.number](CUstream_st& on) {
        std::optional<Clock::OneCall> one_call;
        if (clock != nullptr) one_call.emplace(*clock);
        const LaunchedNode around = launched_node();
        for (const CUgraphNode_st& node : *nodes) {
          launched_node() = {graph, node.number};
          node.replay(on);
        }
        launched_node() = around;
      });
}

}  // namespace strata::dry_gpu
