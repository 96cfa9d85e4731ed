// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/block_roles.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_set>

#include "host/analysis/attribution/ops.hpp"
#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/layers/repeated_blocks.hpp"
#include "host/analysis/peak/residue.hpp"

namespace strata::analysis {
namespace {

constexpr std::array<std::string_view, 4> kLossOps{"aten::_log_softmax", "aten::_log_softmax_backward_data",
                                                   "aten::nll_loss_backward", "aten::nll_loss2d_backward"};

// Operators that compute weight gradients in backward, whose size may match by chance.
constexpr std::array<std::string_view, 4> kOfWeights{"aten::mm", "aten::bmm", "aten::addmm",
                                                     "aten::embedding_dense_backward"};

// Logits in 16 bits are half of their softmax.
bool is_about_as_large(std::uint64_t bytes, std::uint64_t softmax_bytes) {
  return std::ranges::any_of(std::array{0.5, 1.0, 2.0},
                             [&](double times) { return is_about(bytes, softmax_bytes, times); });
}

std::unordered_set<std::uint64_t> sizes_of_log_softmax(const MemoryFacts& facts) {
  std::unordered_set<std::uint64_t> sizes;
  for (const Block& block : facts.blocks)
    if (facts.texts[block.op] == "aten::_log_softmax" && block.bytes > 0) sizes.insert(block.bytes);
  return sizes;
}

bool may_be_logits(const MemoryFacts& facts, const Block& block) {
  if (block.category == Category::kAutogradDetail)
    return block.kind == BlockKind::kFlowing &&
           std::ranges::find(kOfWeights, facts.texts[block.op]) == kOfWeights.end();
  return block.category == Category::kActivation || block.category == Category::kTemporary;
}

// Whether the op computes from logits a result of the same size.
bool is_of_loss(std::string_view op) {
  return std::ranges::find(kLossOps, op) != kLossOps.end();
}

}  // namespace

bool is_about(std::uint64_t bytes, std::uint64_t whole, double times) {
  constexpr double kLeftOut = 0.02;
  const double ratio = static_cast<double>(bytes) / static_cast<double>(whole);
  return ratio >= times * (1.0 - kLeftOut) && ratio <= times * (1.0 + kLeftOut);
}

bool is_for_backward(const Block& block) {
  return block.category == Category::kActivation &&
         (block.kind == BlockKind::kSaved || block.kind == BlockKind::kForwardResidue);
}

// A device-specific operator, such as aten::cudnn_convolution, runs inside aten::convolution.
bool is_product(std::string_view op) {
  return (traits_of(op) & kMatrixProduct) != 0 || op.ends_with("_convolution");
}

bool is_computed_by_model(const MemoryFacts& facts, const Block& block) {
  return block.layer != 0 || is_product(facts.texts[block.op]);
}

std::vector<bool> logits_and_alike(const MemoryFacts& facts) {
  std::vector<bool> marks(facts.blocks.size());
  const std::unordered_set<std::uint64_t> sizes = sizes_of_log_softmax(facts);
  for (std::size_t index = 0; index < facts.blocks.size(); ++index) {
    const Block& block = facts.blocks[index];
    if (!may_be_logits(facts, block)) continue;
    marks[index] =
        is_of_loss(facts.texts[block.op]) || block.kind == BlockKind::kLogits ||
        (repeated_block(facts, block.layer).empty() && std::ranges::any_of(sizes, [&](std::uint64_t bytes) {
           return is_about_as_large(block.bytes, bytes);
         }));
  }
  return marks;
}

}  // namespace strata::analysis
