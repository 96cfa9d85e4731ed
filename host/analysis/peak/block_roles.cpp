// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/block_roles.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_set>

#include "host/analysis/layers/repeated_blocks.hpp"
#include "host/analysis/ops.hpp"
#include "host/analysis/peak/residue.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

constexpr std::array<std::string_view, 4> kLossOps{"aten::_log_softmax", "aten::_log_softmax_backward_data",
                                                   "aten::nll_loss_backward", "aten::nll_loss2d_backward"};

// What makes a gradient of weights in backward, which may be as large by chance.
constexpr std::array<std::string_view, 4> kOfWeights{"aten::mm", "aten::bmm", "aten::addmm",
                                                     "aten::embedding_dense_backward"};

// Logits in 16 bits are half of their softmax.
bool is_about_as_large(std::uint64_t bytes, std::uint64_t softmax_bytes) {
  return std::ranges::any_of(std::array{0.5, 1.0, 2.0},
                             [&](double times) { return is_about(bytes, softmax_bytes, times); });
}

// As large as the softmax, in 16 bits, or in bytes as a mask is.
bool is_made_of_softmax(std::uint64_t bytes, std::uint64_t softmax_bytes) {
  return std::ranges::any_of(std::array{1.0, 0.5, 0.25},
                             [&](double times) { return is_about(bytes, softmax_bytes, times); });
}

std::unordered_set<std::uint64_t> sizes_of_log_softmax(const Facts& facts) {
  std::unordered_set<std::uint64_t> sizes;
  for (const Block& block : facts.blocks)
    if (facts.texts[block.op] == "aten::_log_softmax" && block.bytes > 0) sizes.insert(block.bytes);
  return sizes;
}

bool may_be_logits(const Facts& facts, const Block& block) {
  if (block.category == Category::kAutogradDetail)
    return block.kind == "flowing" &&
           std::ranges::find(kOfWeights, facts.texts[block.op]) == kOfWeights.end();
  return block.category == Category::kActivation || block.category == Category::kTemporary;
}

// Scores before their softmax, and their gradients: as large as it is, and made by what multiplies batches.
bool are_scores(const Facts& facts, const Block& block, const std::unordered_set<std::uint64_t>& sizes) {
  const std::string_view op = facts.texts[block.op];
  const bool is_passing = block.kind == "flowing" || block.kind == "op_temp";
  return is_passing && sizes.contains(block.bytes) &&
         (op == "aten::bmm" || op == "aten::_softmax_backward_data");
}

// Blocks that are checkpointed already.
std::unordered_set<std::string_view> recomputed_blocks(const Facts& facts) {
  std::unordered_set<std::string_view> recomputed;
  for (const Block& block : facts.blocks)
    if (block.kind == "recompute") recomputed.insert(repeated_block(facts, block.layer));
  return recomputed;
}

// Of what a block made, what the next one, which begins at `sequence`, is given: the last. A normalization
// makes its statistics behind its result, and a dropout its mask before it: of the last op the largest. What
// an op let go of, as where it counts who has come, is made by another one.
std::size_t handed_on(const Facts& facts, const std::vector<std::size_t>& made, std::uint64_t sequence) {
  std::size_t last = made.front();
  for (const std::size_t index : made) {
    const Block& block = facts.blocks[index];
    const Block& before = facts.blocks[last];
    const bool is_beside =
        block.op == before.op || (block.layer == before.layer && !block.is_alive_at(sequence));
    if (!is_beside || block.bytes >= before.bytes) last = index;
  }
  return last;
}

}  // namespace

bool is_about(std::uint64_t bytes, std::uint64_t whole, double times) {
  constexpr double kLeftOut = 0.02;
  const double ratio = static_cast<double>(bytes) / static_cast<double>(whole);
  return ratio >= times * (1.0 - kLeftOut) && ratio <= times * (1.0 + kLeftOut);
}

bool is_for_backward(const Block& block) {
  return block.category == Category::kActivation && (block.kind == "saved" || block.kind == kForwardResidue);
}

// A device's own, as aten::cudnn_convolution, is within aten::convolution.
bool is_product(std::string_view op) {
  return (traits_of(op) & kMatrixProduct) != 0 || op.ends_with("_convolution");
}

bool is_computed_by_model(const Facts& facts, const Block& block) {
  return block.layer != 0 || is_product(facts.texts[block.op]);
}

bool is_temporary_of_forward(const Facts& facts, const Block& block) {
  if (block.kind != "op_temp") return false;
  // Before anything needs a gradient no forward is seen to have begun, but a module may be at work.
  if (block.phase == 0) return !facts.texts[block.layer].empty();
  return facts.phases[block.phase - 1].kind == STRATA_PHASE_FORWARD;
}

// Blocks are in the order of their births. What is made of a softmax is there before the product that takes
// it, in whichever module: a dropout is one of its own as a rule.
std::vector<bool> attention_scores(const Facts& facts) {
  std::vector<bool> scores(facts.blocks.size());
  std::uint64_t softmax_bytes = 0;  // 0: a product has taken it
  std::unordered_set<std::uint64_t> sizes;
  for (std::size_t index = 0; index < facts.blocks.size(); ++index) {
    const Block& block = facts.blocks[index];
    const std::string_view op = facts.texts[block.op];
    if ((traits_of(op) & kMatrixProduct) != 0) softmax_bytes = 0;
    if (!is_for_backward(block)) continue;
    if (op == "aten::_softmax") {
      softmax_bytes = block.bytes;
      scores[index] = true;
      sizes.insert(block.bytes);
    } else if (op == "aten::native_dropout" || op == "aten::_to_copy") {
      scores[index] = softmax_bytes != 0 && is_made_of_softmax(block.bytes, softmax_bytes);
    }
  }
  for (std::size_t index = 0; index < facts.blocks.size(); ++index)
    if (are_scores(facts, facts.blocks[index], sizes)) scores[index] = true;
  return scores;
}

RepeatedRuns repeated_runs(const Facts& facts) {
  const std::size_t count = facts.blocks.size();
  RepeatedRuns runs{.run = std::vector<std::uint32_t>(count),
                    .is_handed_on = std::vector<bool>(count),
                    .handed_bytes = {0},
                    .two_largest_bytes = {0}};
  const std::unordered_set<std::string_view> recomputed = recomputed_blocks(facts);
  std::string_view running;                    // the block whose forward runs
  std::vector<std::size_t> made;               // by it
  std::array<std::uint64_t, 2> largest{0, 0};  // of what backward reads of it
  const auto end_run = [&](std::uint64_t sequence) {
    if (made.empty()) return;
    const std::size_t last = handed_on(facts, made, sequence);
    const Block& handed = facts.blocks[last];
    runs.is_handed_on[last] = is_for_backward(handed);
    runs.handed_bytes.back() = is_for_backward(handed) ? 0 : handed.bytes;
    made.clear();
  };
  for (std::size_t index = 0; index < count; ++index) {
    const Block& block = facts.blocks[index];
    if (!is_for_backward(block) && !is_temporary_of_forward(facts, block)) continue;
    const std::string_view repeated = repeated_block(facts, block.layer);
    const bool goes_on = repeated == running;
    if (!goes_on) end_run(block.birth_sequence);
    running = repeated;
    if (repeated.empty() || recomputed.contains(repeated)) continue;
    if (!goes_on) {
      runs.handed_bytes.push_back(0);
      runs.two_largest_bytes.push_back(0);
      largest = {0, 0};
    }
    if (is_for_backward(block)) {
      runs.run[index] = static_cast<std::uint32_t>(runs.handed_bytes.size() - 1);
      if (block.bytes > largest[1])
        largest = {std::max(largest[0], block.bytes), std::min(largest[0], block.bytes)};
      runs.two_largest_bytes.back() = largest[0] + largest[1];
    }
    made.push_back(index);
  }
  end_run(UINT64_MAX);
  return runs;
}

bool has_op(const Facts& facts, std::string_view name) {
  return std::ranges::find(facts.texts, name) != facts.texts.end();
}

bool is_of_loss(std::string_view op) {
  return std::ranges::find(kLossOps, op) != kLossOps.end();
}

std::vector<bool> logits_and_alike(const Facts& facts) {
  std::vector<bool> marks(facts.blocks.size());
  const std::unordered_set<std::uint64_t> sizes = sizes_of_log_softmax(facts);
  for (std::size_t index = 0; index < facts.blocks.size(); ++index) {
    const Block& block = facts.blocks[index];
    if (!may_be_logits(facts, block)) continue;
    marks[index] =
        is_of_loss(facts.texts[block.op]) || block.kind == "logits" ||
        (repeated_block(facts, block.layer).empty() && std::ranges::any_of(sizes, [&](std::uint64_t bytes) {
           return is_about_as_large(block.bytes, bytes);
         }));
  }
  return marks;
}

}  // namespace strata::analysis
