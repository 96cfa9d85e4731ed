// SPDX-License-Identifier: Apache-2.0
// Which blocks are an attention's scores, which are as large as the logits, and which are what one layer
// hands to the next, by the op that made them and their size. A vector by block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "host/analysis/facts.hpp"

namespace strata::analysis {

// Within two hundredths `times` as large: a loss of the next token leaves out one of each sequence, and an
// allocator rounds.
bool is_about(std::uint64_t bytes, std::uint64_t whole, double times);

// Also of a forward that was cut short: nobody knows yet what its backward would have read.
bool is_for_backward(const Block& block);

// Born and dead within a forward: as its activations it is larger with a larger batch.
bool is_temporary_of_forward(const Facts& facts, const Block& block);

// Whether the op multiplies matrices, or convolves.
bool is_product(std::string_view op);

// By a module or, where nobody tells those, by what modules compute with.
bool is_computed_by_model(const Facts& facts, const Block& block);

// Softmaxes, and what is made of each as large until a product takes it: what a dropout keeps, its mask of
// bytes, copies in 16 bits.
std::vector<bool> attention_scores(const Facts& facts);

// The logits, what a loss makes of them, and the gradients on their way to them; all of it outside of the
// blocks that repeat.
std::vector<bool> logits_and_alike(const Facts& facts);

// Each time that a forward runs through a block that repeats and that no backward computes again. What it
// hands to the next block, which begins with it, checkpoints keep: the last that it made.
struct RepeatedRuns {
  std::vector<std::uint32_t> run;  // by block, of what backward reads: from 1, in their order; 0: of none
  std::vector<bool> is_handed_on;  // by block
  std::vector<std::uint64_t> handed_bytes;  // by run, of what backward does not read as it is; 0: it does
  std::vector<std::uint64_t> two_largest_bytes;  // by run, of what backward reads
};
RepeatedRuns repeated_runs(const Facts& facts);

// Where no kernel takes an attention.
inline constexpr std::string_view kAttentionByItself = "aten::_scaled_dot_product_attention_math";

bool is_one_of(std::string_view op, const auto& ops) {
  return std::ranges::find(ops, op) != ops.end();
}

// Whether an op of that name was recorded.
bool has_op(const Facts& facts, std::string_view name);

// Whether the op makes, of logits, what is as large as they are.
bool is_of_loss(std::string_view op);

}  // namespace strata::analysis
