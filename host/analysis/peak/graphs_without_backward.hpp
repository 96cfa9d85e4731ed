// SPDX-License-Identifier: Apache-2.0
// Autograd graphs that no backward pass uses.
//
// A released graph is freed at once, most recent blocks first. If no backward has begun since its first block
// was made, none has used it. If one has (as with a teacher, whose output stays in a variable until the next
// one exists), the graph may be one that its backward retains. It then counts only if no parameter of its
// model has a gradient and the backward freed another graph.
#pragma once

#include <vector>

#include "host/analysis/peak/kept_from_earlier.hpp"
#include "host/analysis/peak/unused_graphs.hpp"

namespace strata::analysis {

struct MemoryFacts;

// Excludes blocks in `kept`. `facts` must outlive the result.
std::vector<UnusedGraph> graphs_without_backward(const MemoryFacts& facts, const KeptFromEarlier& kept);

}  // namespace strata::analysis
