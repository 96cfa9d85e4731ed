// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/attribution/attribution.hpp"

#include <string>
#include <string_view>
#include <unordered_map>

#include "strata/ext/tensor.h"

namespace strata::analysis {
namespace {

// A name without a dot, of a block of the model itself and not of one of its modules.
bool may_be_the_models(const BlockHistory& block) {
  switch (block.role) {
    case STRATA_TENSOR_PARAMETER:
    case STRATA_TENSOR_BUFFER:
    case STRATA_TENSOR_EMA:
    case STRATA_TENSOR_GRADIENT:
      return true;
    default:
      return block.parameter != kNoBlock;
  }
}

// The names of owners, and their layers.
class OwnerNames {
 public:
  OwnerNames(const BlockTable& table, Texts& texts) : table_(table), texts_(texts) {}

  // "layers.0.norm.weight" for a parameter, with ".exp_avg" after it for its optimizer state.
  std::uint32_t name(const BlockHistory& block, bool owner_is_parameter) {
    if (block.parameter == kNoBlock || !owner_is_parameter) return block.name;
    const std::uint32_t parameter = table_.blocks[block.parameter].name;
    const auto [place, is_new] = names_.try_emplace(key(parameter, block.name), 0);
    if (is_new) place->second = join(parameter, block.name);
    return place->second;
  }

  // The module in the owner's name: its path without the last part; a gradient and a state use their
  // parameter's name. 0 if there is none.
  std::uint32_t layer(const BlockHistory& block) {
    const std::uint32_t owner = root(block).name;
    if (owner == 0) return 0;
    const auto [place, is_new] = layers_.try_emplace(key(owner, may_be_the_models(block) ? 1 : 0), 0);
    if (is_new) {
      const std::string path = texts_[owner];
      const std::size_t dot = path.rfind('.');
      if (dot != std::string::npos) place->second = texts_.add(path.substr(0, dot));
      if (dot == std::string::npos && may_be_the_models(block)) place->second = texts_.add(kModelItself);
    }
    return place->second;
  }

 private:
  // For the copy of a gradient: the gradient's parameter. An owner is born before what it owns.
  const BlockHistory& root(const BlockHistory& block) const {
    const BlockHistory* owned = &block;
    while (owned->parameter != kNoBlock && &table_.blocks[owned->parameter] < owned)
      owned = &table_.blocks[owned->parameter];
    return *owned;
  }

  static std::uint64_t key(std::uint32_t parameter, std::uint32_t own) {
    return std::uint64_t{parameter} << 32 | own;
  }

  std::uint32_t join(std::uint32_t parameter, std::uint32_t own) {
    if (own == 0 || std::string_view(texts_[own]).starts_with(texts_[parameter]))
      return own == 0 ? parameter : own;
    return texts_.add(texts_[parameter] + "." + texts_[own]);
  }

  const BlockTable& table_;
  Texts& texts_;
  std::unordered_map<std::uint64_t, std::uint32_t> names_;
  std::unordered_map<std::uint64_t, std::uint32_t> layers_;
};

// A leaf that is no parameter: a batch or an activation that was told to require a gradient.
bool is_leaf_of_step(const Block& block) {
  return block.reason == Reason::kLeafInput || block.reason == Reason::kLeafActivation;
}

}  // namespace

std::vector<Block> attribute(const BlockTable& table, const OpTable& ops, const StepStructure& structure,
                             const EvidenceGatherer& evidence, const Layers& layers, const Method& method,
                             Texts& texts, TensorForms& forms) {
  OwnerNames owners(table, texts);
  std::vector<Block> blocks;
  blocks.reserve(table.blocks.size());
  for (const BlockHistory& history : table.blocks) {
    const Rule& rule = decide(method.rules, evidence.of(history));
    Block block;
    block.address = history.address;
    block.bytes = history.bytes;
    block.rounding_bytes = history.rounding_bytes;
    block.birth_sequence = history.birth_sequence;
    block.death_sequence = history.death_sequence;
    block.birth_ns = history.birth_ns;
    block.death_ns = history.death_ns;
    block.category = rule.category;
    block.kind = rule.kind;
    block.reason = rule.reason;
    block.layer = layers.at(history.birth_op, history.birth_module);
    if (history.role != 0) {
      // An owner is born before what it owns.
      const bool is_of_leaf = history.parameter < blocks.size() && is_leaf_of_step(blocks[history.parameter]);
      if (block.reason != Reason::kLeafActivation) block.name = owners.name(history, !is_of_leaf);
      block.form = forms.add(history.form);
      block.is_frozen = history.is_frozen;
      const bool has_layer = !is_of_leaf && !is_leaf_of_step(block);
      if (const std::uint32_t layer = has_layer ? owners.layer(history) : 0; layer != 0) block.layer = layer;
    }
    if (const auto op = ops.find(history.birth_op)) block.op = ops.maker(*op);
    block.saver = layers.path_of(history.saver_module);
    if (const auto phase = structure.find_phase(history.birth_phase)) {
      block.phase = static_cast<std::uint32_t>(*phase) + 1;
    }
    block.place = history.place;
    block.birth_op = history.birth_op;
    blocks.push_back(block);
  }
  return blocks;
}

}  // namespace strata::analysis
