// SPDX-License-Identifier: Apache-2.0
// Graphs of a program that no backward goes through.
//
// A graph that is let go of goes at once, and what was made last goes first. Where no backward has begun
// since its first block was made, none has read it. Where one has, as beside a teacher, whose output is in a
// variable until the next one is there, it may be one that its backward keeps: none of the parameters of the
// model that made it has a gradient then, and the backward took another graph down; or it does not count.
#pragma once

#include <vector>

#include "host/analysis/peak/kept_from_earlier.hpp"
#include "host/analysis/peak/unused_graphs.hpp"

namespace strata::analysis {

struct MemoryFacts;

// What `kept` holds is none of these. `facts` must outlive what is returned.
std::vector<UnusedGraph> graphs_without_backward(const MemoryFacts& facts, const KeptFromEarlier& kept);

}  // namespace strata::analysis
