// SPDX-License-Identifier: Apache-2.0
// Labels blocks of a converted snapshot of torch.cuda.memory by what it says itself.
#pragma once

#include <vector>

#include "host/analysis/facts/block.hpp"
#include "host/analysis/recording/texts.hpp"

namespace strata::analysis {

struct Recording;

// Each block gets the category and the text that its allocation has in the snapshot, and no other: the rules
// need steps, phases and owners, which a snapshot does not have. `blocks` by birth_sequence.
void use_snapshot_notes(const Recording& run, Texts& texts, std::vector<Block>& blocks);

}  // namespace strata::analysis
