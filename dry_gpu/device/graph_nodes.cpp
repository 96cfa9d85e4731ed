// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/graph_nodes.hpp"

namespace strata::dry_gpu {

void node_was_made(CUgraphNode_st& node, CUgraphNode_st* original) {
  static std::atomic<std::uint64_t> last = 0;
  node.number = last.fetch_add(1, std::memory_order_relaxed) + 1;
  if (const NodeListener listener = node_listener.load(std::memory_order_acquire)) listener(node, original);
}

LaunchedNode& launched_node() {
  static thread_local LaunchedNode launched;
  return launched;
}

}  // namespace strata::dry_gpu
