// SPDX-License-Identifier: Apache-2.0
// What a block is to a training, by the op that made it and its size.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "host/analysis/facts/block.hpp"

namespace strata::analysis {

struct MemoryFacts;

// Within two hundredths `times` as large: a loss of the next token leaves out one of each sequence, and an
// allocator rounds.
bool is_about(std::uint64_t bytes, std::uint64_t whole, double times);

// Also of a forward that was cut short: nobody knows yet what its backward would have read.
bool is_for_backward(const Block& block);

// Whether the op multiplies matrices, or convolves.
bool is_product(std::string_view op);

// By a module or, where nobody tells those, by what modules compute with.
bool is_computed_by_model(const MemoryFacts& facts, const Block& block);

// By block: the logits, what a loss makes of them, and the gradients on their way to them; all of it outside
// of the blocks that repeat.
std::vector<bool> logits_and_alike(const MemoryFacts& facts);

}  // namespace strata::analysis
