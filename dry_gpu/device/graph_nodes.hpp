// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs, as a profiler tells them apart: each has a number, and an executable graph has nodes of
// its own, which are clones.
#pragma once

#include <atomic>
#include <cstdint>

#include "dry_gpu/device/handles.hpp"

namespace strata::dry_gpu {

// [any] Hears of a node that was made, on the thread that made it, without a lock. `original`: of which it is
// a clone; null: of none.
using NodeListener = void (*)(CUgraphNode_st& node, CUgraphNode_st* original);
inline std::atomic<NodeListener> node_listener = nullptr;

// Gives the node its number, and tells the listener.
void node_was_made(CUgraphNode_st& node, CUgraphNode_st* original);

// Of which node the calling thread submits the work; all 0: of none.
struct LaunchedNode {
  std::uint32_t graph = 0;
  std::uint64_t node = 0;
};
LaunchedNode& launched_node();

}  // namespace strata::dry_gpu
