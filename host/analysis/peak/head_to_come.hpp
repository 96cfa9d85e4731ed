// SPDX-License-Identifier: Apache-2.0
// What a model's head and its loss would have made behind the block that a forward was in when an allocation
// failed.
#pragma once

#include <cstdint>

#include "host/analysis/facts.hpp"

namespace strata::analysis {

struct HeadToCome {
  std::uint64_t bytes = 0;
  std::uint64_t least_bytes = 0;         // of a program that has let go of its logits when backward begins
  std::uint64_t logits = 0, tokens = 0;  // so many of each of so many
};

// Which forward's lookups tell how many tokens there are: that of the failure, as far as it came, or the one
// that went to its end before it, as forward_before() says.
enum class TokensOf : std::uint8_t { kForward, kForwardBefore };

// Of a training that looks up its tokens' embeddings: logits, the softmax of them that is kept for backward,
// and in backward the gradients of both; a training of ours lets go of its logits before. Each token gets as
// many as the weights behind the repeated blocks have rows, or, where there are none, as many as it has
// embeddings: the head is tied to them. Of logits that were asked for, less those. Zeros outside of a
// repeated block's forward and of the head's, and where modules or shapes are not known. Needs the blocks,
// phases, texts and forms of `facts`, and `failure.held`, `.op` and `.requested_bytes`.
HeadToCome head_to_come(const Facts& facts, const OutOfMemory& failure,
                        TokensOf tokens_of_which = TokensOf::kForward);

// Whether the head's product, or a copy of it, asked: nothing of a repeated block. Needs what was to come of
// `failure`.
bool asks_for_logits(const Facts& facts, const OutOfMemory& failure);

// Bytes of the logits that were there, in 32 bits or in 16: before a first loss nothing tells them but their
// size, which is about what was asked for. Needs `failure.held`.
std::uint64_t logits_before_their_loss(const Facts& facts, const OutOfMemory& failure);

}  // namespace strata::analysis
