// SPDX-License-Identifier: Apache-2.0
// Several savings at once: what they do without together is known where they are of different memory.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "host/analysis/peak/savings.hpp"

namespace strata::analysis {

using SavingSet = std::vector<Saving>;  // each once

// Sets of one, by their number.
std::vector<SavingSet> each_alone();

// Whether it does without a part of what blocks keep that a forward has not come to, too.
bool spares_blocks_to_come(Saving saving);

// Whether no two of them are of the same memory. Half the batch may stand beside others: it is half of what
// these leave.
bool are_of_different_memory(const SavingSet& set);

// What each does without by itself, by its number.
using SavedBytes = std::array<std::uint64_t, kSavings>;

std::uint64_t bytes_together(const SavingSet& set, const Savings& savings, const SavedBytes& saved);

// The run's highest moment with what a set does without there left out.
struct Left {
  std::uint64_t bytes = 0, sequence = 0;
};

// Of each set by its place in `sets`, over all points of the run; the first of several. `savings`: of these
// facts, with no block added.
std::vector<Left> highest_left(const Facts& facts, Savings savings, const std::vector<SavingSet>& sets);

}  // namespace strata::analysis
