// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/whole_model.hpp"

#include <algorithm>

#include "host/analysis/peak/block_roles.hpp"
#include "host/analysis/peak/still_to_come.hpp"
#include "host/analysis/steps/open_phases.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {

std::unordered_set<std::string_view> trained_parameters(const Facts& facts) {
  std::unordered_set<std::string_view> names;
  for (const Block& block : facts.blocks) {
    const std::string_view name = facts.texts[block.name];
    if (block.category == Category::kGradient && !name.empty()) names.insert(trained_by(name));
  }
  if (has_begun(facts.phases, STRATA_PHASE_OPTIMIZER, UINT64_MAX)) return names;
  for (const Block& block : facts.blocks) {
    const std::string_view name = facts.texts[block.name];
    if (block.kind == "parameter" && !block.is_frozen && !name.empty()) names.insert(name);
  }
  return names;
}

bool is_trained(const Facts& facts, const Block& parameter,
                const std::unordered_set<std::string_view>& trained) {
  return parameter.kind != "ema" && (trained.empty() || trained.contains(facts.texts[parameter.name]));
}

bool accumulates_gradients(const Facts& facts) {
  return std::ranges::any_of(facts.phases, [](const PhaseFact& phase) {
    return phase.kind == STRATA_PHASE_FORWARD && phase.micro_batch > 0;
  });
}

double largest_share(const Facts& facts) {
  std::uint64_t largest = 0, all = 0;
  for (const Block& block : facts.blocks) {
    if (block.category != Category::kParameter) continue;
    largest = std::max(largest, block.bytes);
    all += block.bytes;
  }
  return all == 0 ? 1.0 : static_cast<double>(largest) / static_cast<double>(all);
}

std::unordered_set<std::string> embedding_weights(const Facts& facts) {
  std::unordered_set<std::string> names;
  for (const Block& block : facts.blocks) {
    const std::string_view op = facts.texts[block.op];
    // Looking up is an index_select within.
    if (block.layer != 0 && (op.starts_with("aten::embedding") || op == "aten::index_select"))
      names.insert(facts.texts[block.layer] + ".weight");
  }
  return names;
}

std::uint64_t head_bytes(const Facts& facts, const std::vector<bool>& is_logits,
                         const std::unordered_set<std::string_view>& trained) {
  std::string_view head;
  for (std::size_t index = 0; index < facts.blocks.size() && head.empty(); ++index) {
    const Block& block = facts.blocks[index];
    const std::string_view op = facts.texts[block.op];
    if (is_logits[index] && (op == "aten::mm" || op == "aten::addmm")) head = facts.texts[block.layer];
  }
  std::uint64_t own = 0, largest = 0;
  for (const Block& block : facts.blocks) {
    const std::string_view name = facts.texts[block.name];
    if (block.category != Category::kParameter || !trained.contains(name)) continue;
    largest = std::max(largest, block.bytes);
    if (name.starts_with(head) && name.substr(head.size()).starts_with('.')) own = std::max(own, block.bytes);
  }
  return head.empty() ? 0 : own > 0 ? own : largest;
}

std::uint64_t layers_are_told_from(const Facts& facts) {
  std::uint64_t from = 0;
  for (const Block& block : facts.blocks) {
    if (!is_for_backward(block)) continue;
    if (!facts.texts[block.layer].empty()) return from;
    if (block.death_sequence != UINT64_MAX) from = std::max(from, block.death_sequence);
  }
  return 0;
}

}  // namespace strata::analysis
