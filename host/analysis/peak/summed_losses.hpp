// SPDX-License-Identifier: Apache-2.0
// Forwards whose losses a program adds up before one backward: the activations of all of them are alive at
// once. A backward for each loss would keep those of one.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/facts/block.hpp"

namespace strata::analysis {

struct MemoryFacts;

struct SummedLosses {
  std::uint64_t forwards = 0;  // 0: there are none
  std::vector<const Block*>
      beyond;  // alive then: of all of these forwards but the largest, with their inputs
};

// Of the backward that is open at `sequence`, or of the next one. Its activations, by birth, are in parts: it
// frees all of a part before the first of the part before, and between them no gradient is alive but those of
// parameters and single numbers. So nothing but numbers connects the parts. Two parts are forwards of the
// same model if the same operators of the same modules made most of both. The program only adds or scales
// these numbers: an operator that runs behind the last forward is also part of the others, or is such a one.
//
// Uses the blocks, phases and texts of `facts`, which must outlive the result.
SummedLosses summed_losses_at(const MemoryFacts& facts, std::uint64_t sequence);

}  // namespace strata::analysis
