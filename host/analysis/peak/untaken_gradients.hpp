// SPDX-License-Identifier: Apache-2.0
// Gradients that no optimizer uses, and the graphs that backward traverses to compute them: of a teacher
// whose output is used in the loss, or of a backbone of which only the head is trained.
#pragma once

#include <vector>

#include "host/analysis/peak/unused_graphs.hpp"

namespace strata::analysis {

struct MemoryFacts;

// For models whose gradients are alive from the first backward to the last optimizer step, because nothing
// clears them, and that have no optimizer state although other models do. Their graphs are those made by a
// forward before the first one of a trained model: later ones may be computed from that model. None if
// modules are unknown. `facts` must outlive the result.
std::vector<UnusedGraph> graphs_of_untaken_gradients(const MemoryFacts& facts);

}  // namespace strata::analysis
