// SPDX-License-Identifier: Apache-2.0
// What a run tells of its model as a whole, whatever moment is looked at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "host/analysis/facts.hpp"

namespace strata::analysis {

// Names of parameters that have a gradient at any time and, before any step of an optimizer, of those that
// are not frozen; none where nobody knows. They are texts of `facts`.
std::unordered_set<std::string_view> trained_parameters(const Facts& facts);

// Whether `parameter` is among `trained`, as the function above has them: where nobody knows, all but
// averages.
bool is_trained(const Facts& facts, const Block& parameter,
                const std::unordered_set<std::string_view>& trained);

// Whether a step has had several micro-batches.
bool accumulates_gradients(const Facts& facts);

// Of all parameters what the largest is: so much of a pass over all stays where it takes them one by one.
double largest_share(const Facts& facts);

// The names of weights that are looked up in, as tokens' embeddings, where layers are told.
std::unordered_set<std::string> embedding_weights(const Facts& facts);

// Of the weights that make the logits, by block `is_logits`; where they are tied, and so named elsewhere, the
// largest of those that are trained.
std::uint64_t head_bytes(const Facts& facts, const std::vector<bool>& is_logits,
                         const std::unordered_set<std::string_view>& trained);

// A program's layers are told from somewhere in its first forward on: until its backward has let go of what
// was kept before, nobody knows what blocks would spare. The sequence from which on that is known.
std::uint64_t layers_are_told_from(const Facts& facts);

}  // namespace strata::analysis
