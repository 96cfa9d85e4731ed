// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/head_to_come.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/analysis/layers/repeated_blocks.hpp"
#include "host/analysis/peak/block_roles.hpp"
#include "host/analysis/peak/evaluations.hpp"
#include "host/analysis/peak/still_to_come.hpp"
#include "host/analysis/shapes/alive.hpp"
#include "host/analysis/steps/open_phases.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

constexpr double kMost = 0x1p62;  // bytes, whatever a store says

// "50257x768"; empty where nobody said.
std::vector<std::uint64_t> dimensions(const Facts& facts, const Block& block) {
  const std::string_view shape = facts.texts[facts.forms[block.form].shape];
  std::vector<std::uint64_t> sizes;
  const char* at = shape.data();
  const char* const end = at + shape.size();
  while (at < end) {
    std::uint64_t size = 0;
    const auto [behind, error] = std::from_chars(at, end, size);
    if (error != std::errc{} || size == 0 || (behind != end && *behind != 'x')) return {};
    sizes.push_back(size);
    at = behind == end ? end : behind + 1;
  }
  return sizes;
}

struct Embedding {
  std::uint64_t rows = 0, columns = 0;
  std::uint64_t row_bytes = 0;
};

std::optional<Embedding> as_embedding(const Facts& facts, const Block& parameter) {
  const std::vector<std::uint64_t> sizes = dimensions(facts, parameter);
  const std::uint64_t bytes = requested_bytes(parameter);
  if (sizes.size() != 2 || bytes < sizes[0]) return std::nullopt;
  return Embedding{.rows = sizes[0], .columns = sizes[1], .row_bytes = bytes / sizes[0]};
}

// What an encoder and a decoder share has the name of one of them, or of neither: outside of the blocks that
// with the most rows.
std::optional<Embedding> embedding_of(const Facts& facts, std::string_view layer) {
  const std::string name = std::string(layer) + ".weight";
  std::optional<Embedding> largest;
  for (const Block& block : facts.blocks) {
    if (block.category != Category::kParameter) continue;
    if (facts.texts[block.name] == name) return as_embedding(facts, block);
    if (block.kind == "ema" || !repeated_block(facts, block.name).empty()) continue;
    const std::optional<Embedding> other = as_embedding(facts, block);
    if (other && (!largest || other->rows > largest->rows)) largest = other;
  }
  return largest;
}

struct LookedUp {
  Embedding embedding;
  std::uint64_t tokens = 0;
};

// By the module that made the last block: the one that asks may have made nothing yet.
bool is_in_repeated_block(const Facts& facts, const PhaseFact& forward, std::uint64_t sequence) {
  const auto behind = std::ranges::upper_bound(facts.blocks, sequence, {}, &Block::birth_sequence);
  for (auto block = behind; block != facts.blocks.begin();) {
    --block;
    if (block->birth_sequence < forward.begin_sequence) return false;
    if (block->layer != 0) return !repeated_block(facts, block->layer).empty();
  }
  return false;
}

// The head's, or a copy of them, in 32 bits or 16; of a loss, loss_to_come tells.
bool are_logits(const Facts& facts, const OutOfMemory& failure, double once) {
  constexpr double kRounded = 1.05;
  const auto asked = static_cast<double>(failure.requested_bytes);
  return loss_to_come(facts, failure) == 0 && asked * kRounded >= once / 2 && asked <= once * kRounded;
}

// Positions are looked up, too, once for all sequences, and kinds of sentences, which are fewer. A decoder's
// are looked up behind the encoder's blocks; what a block looks up, as a T5's distances, are no tokens.
LookedUp tokens_of(const Facts& facts, const PhaseFact& forward, std::uint64_t sequence) {
  LookedUp most;
  bool is_behind_blocks = false;
  for (const Block& block : facts.blocks) {
    if (block.birth_sequence < forward.begin_sequence || block.birth_sequence > sequence) continue;
    if (!repeated_block(facts, block.layer).empty()) {
      is_behind_blocks = true;
      continue;
    }
    if (facts.texts[block.op] != "aten::index_select") continue;  // which aten::embedding asks
    const std::optional<Embedding> found = embedding_of(facts, facts.texts[block.layer]);
    if (!found) continue;
    if (std::exchange(is_behind_blocks, false)) most = {};
    const std::uint64_t tokens = requested_bytes(block) / found->row_bytes;
    if (std::pair(tokens, found->rows) > std::pair(most.tokens, most.embedding.rows))
      most = {.embedding = *found, .tokens = tokens};
  }
  return most;
}

// A model's parameters are in the order of its modules.
std::uint64_t logits_of_each(const Facts& facts, const Embedding& embedding, std::uint64_t sequence) {
  std::uint64_t rows = 0;
  bool has_weights = false;
  for (const Block& block : facts.blocks) {
    if (block.category != Category::kParameter || block.kind == "ema" || !block.is_alive_at(sequence))
      continue;
    if (!repeated_block(facts, block.name).empty()) {
      rows = 0;
      has_weights = false;
      continue;
    }
    const std::vector<std::uint64_t> sizes = dimensions(facts, block);
    if (!sizes.empty()) rows = std::max(rows, sizes[0]);
    has_weights |= sizes.size() > 1;
  }
  return has_weights ? rows : embedding.rows;
}

}  // namespace

HeadToCome head_to_come(const Facts& facts, const OutOfMemory& failure, TokensOf tokens_of_which) {
  const std::uint64_t sequence = failure.held.sequence;
  const PhaseFact* const forward = open_phase(facts.phases, STRATA_PHASE_FORWARD, sequence);
  if (forward == nullptr || !has_backward_to_come(facts, sequence)) return {};
  const PhaseFact* const before =
      tokens_of_which == TokensOf::kForwardBefore ? forward_before(facts, *forward) : nullptr;
  const auto [embedding, tokens] = before == nullptr ? tokens_of(facts, *forward, sequence)
                                                     : tokens_of(facts, *before, before->end_sequence);
  if (tokens == 0) return {};
  const std::uint64_t logits = logits_of_each(facts, embedding, sequence);
  // What pools tokens is as wide as the model, and one that has no more words hardly needs room for them.
  if (logits <= embedding.columns) return {};
  const double once = static_cast<double>(tokens) * static_cast<double>(logits) *
                      static_cast<double>(embedding.row_bytes) / static_cast<double>(embedding.columns);
  std::uint64_t asked = 0;
  if (!is_in_repeated_block(facts, *forward, sequence)) {
    if (!are_logits(facts, failure, once)) return {};
    asked = failure.requested_bytes;
  }
  const auto times = [&](double made) {
    const auto bytes = static_cast<std::uint64_t>(std::min(made * once, kMost));
    return bytes - std::min(bytes, asked);
  };
  return {.bytes = times(facts.is_configured ? 3 : 4),
          .least_bytes = times(3),
          .logits = logits,
          .tokens = tokens};
}

bool asks_for_logits(const Facts& facts, const OutOfMemory& failure) {
  return failure.head_to_come_bytes > 0 && failure.forward_to_come_bytes == 0 &&
         repeated_block(facts, failure.layer).empty();
}

std::uint64_t logits_before_their_loss(const Facts& facts, const OutOfMemory& failure) {
  std::uint64_t sum = 0;
  for (const Block& block : facts.blocks) {
    const bool is_made = is_for_backward(block) || is_temporary_of_forward(facts, block);
    if (!is_made || !block.is_alive_at(failure.held.sequence)) continue;
    if (!repeated_block(facts, block.layer).empty()) continue;
    if (is_about(block.bytes, failure.requested_bytes, 1) ||
        is_about(block.bytes, failure.requested_bytes, 0.5))
      sum += block.bytes;
  }
  return sum;
}

}  // namespace strata::analysis
