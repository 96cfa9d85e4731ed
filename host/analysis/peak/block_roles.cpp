// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/block_roles.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "host/analysis/layers/layer_paths.hpp"
#include "host/analysis/peak/residue.hpp"

namespace strata::analysis {
namespace {

constexpr std::array<std::string_view, 4> kLossOps{"aten::_log_softmax", "aten::_log_softmax_backward_data",
                                                   "aten::nll_loss_backward", "aten::nll_loss2d_backward"};

// What makes a gradient of weights in backward, which may be as large by chance.
constexpr std::array<std::string_view, 4> kOfWeights{"aten::mm", "aten::bmm", "aten::addmm",
                                                     "aten::embedding_dense_backward"};

// A loss of the next token leaves out one of each sequence; logits in 16 bits are half of their softmax.
bool is_about_as_large(std::uint64_t bytes, std::uint64_t softmax_bytes) {
  constexpr double kLeftOut = 0.02;
  const double times = static_cast<double>(bytes) / static_cast<double>(softmax_bytes);
  return std::ranges::any_of(std::array{0.5, 1.0, 2.0}, [&](double whole) {
    return times >= whole * (1.0 - kLeftOut) && times <= whole * (1.0 + kLeftOut);
  });
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

}  // namespace

bool is_for_backward(const Block& block) {
  return block.category == Category::kActivation && (block.kind == "saved" || block.kind == kForwardResidue);
}

// Blocks are in the order of their births.
std::vector<bool> attention_scores(const Facts& facts) {
  std::vector<bool> scores(facts.blocks.size());
  std::unordered_map<std::uint32_t, std::uint64_t> softmax_bytes;
  for (std::size_t index = 0; index < facts.blocks.size(); ++index) {
    const Block& block = facts.blocks[index];
    if (!is_for_backward(block)) continue;
    const std::string_view op = facts.texts[block.op];
    if (op == "aten::_softmax") {
      softmax_bytes[block.layer] = block.bytes;
      scores[index] = true;
    } else if (op == "aten::native_dropout" || op == "aten::_to_copy") {
      const auto softmax = softmax_bytes.find(block.layer);
      scores[index] = softmax != softmax_bytes.end() &&
                      (block.bytes == softmax->second || block.bytes == softmax->second / 2 ||
                       block.bytes == softmax->second / 4);
    }
  }
  return scores;
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
    marks[index] = is_of_loss(facts.texts[block.op]) || block.kind == "logits" ||
                   (repeated_block(facts.texts[block.layer]).empty() &&
                    std::ranges::any_of(
                        sizes, [&](std::uint64_t bytes) { return is_about_as_large(block.bytes, bytes); }));
  }
  return marks;
}

}  // namespace strata::analysis
