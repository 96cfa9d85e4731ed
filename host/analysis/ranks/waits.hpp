// SPDX-License-Identifier: Apache-2.0
// How long ranks waited for each other in each step, as far as phases show it.
#pragma once

#include <vector>

#include "host/analysis/ranks/rank_clocks.hpp"
#include "host/analysis/ranks/rank_facts.hpp"

namespace strata::analysis {

// Sets the steps' and phases' waited_ns. All of a synchronisation is waiting. So is what follows a step's
// last gradient, until the first of the ranks goes on: then all gradients are averaged, and who takes longer
// is busy with something of his own. Ranks of another clock are gone by as far as steps bound that clock:
// what one that is alone on its machine does there else, counts as waiting. Ranks of a dry job, and one
// alone, wait for nobody.
void find_waits(std::vector<RankFacts>& ranks, const RankClocks& clocks);

}  // namespace strata::analysis
