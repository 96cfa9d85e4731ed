// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/narrowed_by_autocast.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "host/analysis/peak/block_roles.hpp"

namespace strata::analysis {
namespace {

// What torch's autocast computes in 32 bits whatever it is given, of what backward reads; tanh where it is
// given a power.
constexpr std::array<std::string_view, 7> kKeptWide{"aten::_log_softmax", "aten::exp",  "aten::pow",
                                                    "aten::rsqrt",        "aten::tanh", "aten::log",
                                                    "aten::softplus"};

// Autocast widens what a group normalization takes, and what it gives stays wide: of a net of convolutions
// only what goes into the next of them is in 16 bits.
constexpr std::array<std::string_view, 5> kTakenByGroupNorm{"aten::native_group_norm", "aten::add",
                                                            "aten::add_", "aten::cat", "aten::mul"};

bool is_one_of(std::string_view op, const auto& ops) {
  return std::ranges::find(ops, op) != ops.end();
}

// A root mean square's normalization, written in pieces: the root makes all that it is multiplied with wide,
// and each matrix product that takes the result makes a copy of its own. By block, the two products.
std::vector<bool> products_of_norms(const Facts& facts) {
  struct Norm {
    std::uint64_t bytes = 0;  // of the first product, as the second
    int products = 0;
  };
  std::vector<bool> marks(facts.blocks.size());
  std::unordered_map<std::uint32_t, Norm> norms;  // by layer, the last
  for (std::size_t index = 0; index < facts.blocks.size(); ++index) {
    const Block& block = facts.blocks[index];
    const std::string_view op = facts.texts[block.op];
    if (op == "aten::rsqrt") norms[block.layer] = {};
    if (op != "aten::mul" || !is_for_backward(block)) continue;
    const auto norm = norms.find(block.layer);
    if (norm == norms.end() || norm->second.products == 2) continue;
    if (norm->second.products == 1 && norm->second.bytes != block.bytes) continue;
    norm->second = {block.bytes, norm->second.products + 1};
    marks[index] = true;
  }
  return marks;
}

// Of a dropout the mask, of a byte an element, is made before its result.
bool is_mask(const Facts& facts, std::size_t index) {
  if (index + 1 == facts.blocks.size()) return false;
  const Block& mask = facts.blocks[index];
  const Block& result = facts.blocks[index + 1];
  return facts.texts[mask.op] == "aten::native_dropout" && mask.op == result.op &&
         mask.layer == result.layer && mask.bytes < result.bytes;
}

}  // namespace

// A softmax stays in 32 bits, and its copy in 16 comes beside it. What adds up from an embedding, which is in
// 32 bits as its weights are, stays so from layer to layer.
std::vector<std::int64_t> narrowed_by_autocast(const Facts& facts) {
  const bool has_embedding = has_op(facts, "aten::embedding");
  const bool has_group_norm = has_op(facts, "aten::native_group_norm");
  const std::vector<bool> is_of_norm = products_of_norms(facts);
  const auto stays = [&](std::size_t index) {
    const std::string_view op = facts.texts[facts.blocks[index].op];
    return is_one_of(op, kKeptWide) || is_of_norm[index] || is_mask(facts, index) ||
           (has_embedding && (op == "aten::add" || op == "aten::embedding")) ||
           (has_group_norm &&
            (op.find("convolution") != std::string_view::npos || is_one_of(op, kTakenByGroupNorm)));
  };
  std::vector<std::int64_t> narrowed(facts.blocks.size());
  for (std::size_t index = 0; index < facts.blocks.size(); ++index) {
    const Block& block = facts.blocks[index];
    if (block.category != Category::kActivation || stays(index)) continue;
    const auto half = static_cast<std::int64_t>(block.bytes / 2);
    narrowed[index] = facts.texts[block.op] == "aten::_softmax" ? -half : half;
  }
  return narrowed;
}

}  // namespace strata::analysis
