// SPDX-License-Identifier: Apache-2.0
// The role of a block in training, from the op that made it and its size.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "host/analysis/facts/block.hpp"

namespace strata::analysis {

struct MemoryFacts;

// Whether `bytes` is `times` `whole`, within 2 %: a next-token loss omits one token per sequence, and an
// allocator rounds.
bool is_about(std::uint64_t bytes, std::uint64_t whole, double times);

// Also true in a forward that was cut short: it is unknown what its backward would have read.
bool is_for_backward(const Block& block);

// Whether the op is a matrix product or a convolution.
bool is_product(std::string_view op);

// Made inside a module or, if modules are unknown, by an op that modules use.
bool is_computed_by_model(const MemoryFacts& facts, const Block& block);

// By block: the logits, the values that a loss computes from them, and the gradients flowing back to them;
// all outside of repeated blocks.
std::vector<bool> logits_and_alike(const MemoryFacts& facts);

}  // namespace strata::analysis
