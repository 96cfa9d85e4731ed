// SPDX-License-Identifier: Apache-2.0
// How long ranks waited for each other in each step, as far as phases show it.
#pragma once

#include <vector>

#include "host/analysis/ranks/rank_clocks.hpp"
#include "host/analysis/ranks/rank_facts.hpp"

namespace strata::analysis {

// Sets waited_ns of steps and phases. All time in a synchronisation is waiting. So is the time after a step's
// last gradient, until the first of the ranks continues: then all gradients are averaged, and a rank that
// takes longer is busy with other work. Ranks with another clock are used as far as steps bound that clock;
// for a rank alone on its machine, other work after the last gradient otherwise counts as waiting. Ranks of a
// dry job, and a single rank, do not wait.
void find_waits(std::vector<RankFacts>& ranks, const RankClocks& clocks);

}  // namespace strata::analysis
