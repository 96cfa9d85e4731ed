// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs as a profiler distinguishes them: each has a number, and an executable graph has its own
// nodes, which are clones.
#pragma once

#include <atomic>
#include <cstdint>

#include "dry_gpu/device/handles.hpp"

namespace strata::dry_gpu {

// [any] Called for each created node, on the thread that created it, without a lock. `original` is the node
// of which it is a clone, or null.
using NodeListener = void (*)(CUgraphNode_st& node, CUgraphNode_st* original);
inline std::atomic<NodeListener> node_listener = nullptr;

// Gives the node its number, and calls the listener.
void node_was_made(CUgraphNode_st& node, CUgraphNode_st* original);

// The node whose work the calling thread submits; all 0: none.
struct LaunchedNode {
  std::uint32_t graph = 0;
  std::uint64_t node = 0;
};
LaunchedNode& launched_node();

}  // namespace strata::dry_gpu
