// SPDX-License-Identifier: Apache-2.0
// Gradients that no optimizer takes, and the graphs that a backward goes through to make them: of a teacher
// whose output the loss is computed with, or of a backbone of which the head alone is trained.
#pragma once

#include <vector>

#include "host/analysis/peak/unused_graphs.hpp"

namespace strata::analysis {

struct MemoryFacts;

// Of models whose gradients are there from the first backward to the last optimizer's step, for nobody clears
// them, and that have no state in an optimizer where other models have. Their graphs are those that a forward
// makes before the first of a model that is trained: what comes behind may be computed from that. None where
// modules are not told. `facts` must outlive what is returned.
std::vector<UnusedGraph> graphs_of_untaken_gradients(const MemoryFacts& facts);

}  // namespace strata::analysis
