// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/checks/truth.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <tuple>

namespace strata::analysis {
namespace {

struct Label {
  Category category;
  BlockKind kind;
  auto operator<=>(const Label&) const = default;
};

Label label_by(const RuleTable& rules, const Evidence& evidence) {
  const Rule& rule = decide(rules, evidence);
  return {rule.category, rule.kind};
}

// The standard table decides from saved tensors. If it then labels a block as an activation because of its
// lifetime, the graph did not hold the block, so the program did: a result of a forward, first or repeated,
// is not a gradient for that reason.
Label truth_of(const Evidence& evidence) {
  const Label label = label_by(standard_rules(), evidence);
  const bool held_by_lifetime = label == Label{Category::kActivation, BlockKind::kSaved} ||
                                label == Label{Category::kActivation, BlockKind::kRecompute};
  if (!evidence.saved && held_by_lifetime) return {Category::kActivation, BlockKind::kForwardResidue};
  return label;
}

bool is_compared(const Evidence& evidence, const Label& by_lifetime) {
  if (evidence.role != 0) return false;
  const bool never_needed = evidence.stage == Stage::kForward && evidence.backward_begin == kNever;
  return !never_needed && (evidence.saved || by_lifetime.category == Category::kActivation);
}

}  // namespace

Confusion compare_with_truth(const BlockTable& table, const OpTable& ops, const EvidenceGatherer& gatherer,
                             const RuleTable& rules) {
  const RuleTable lifetimes = without_saved(rules);

  Confusion confusion;
  std::map<std::tuple<Label, Label, std::uint32_t>, Disagreement> disagreements;
  for (BlockIndex block = 0; block < table.blocks.size(); ++block) {
    const Evidence evidence = gatherer.of(table.blocks[block]);
    if (evidence.saved) ++confusion.saved_blocks;
    const Label rule = label_by(lifetimes, evidence);
    if (!is_compared(evidence, rule)) continue;
    ++confusion.compared_blocks;
    const std::uint64_t bytes = table.blocks[block].bytes;
    const Label truth = truth_of(evidence);
    ConfusionCell& cell =
        confusion.cells[static_cast<std::size_t>(truth.category)][static_cast<std::size_t>(rule.category)];
    ++cell.blocks;
    cell.bytes += bytes;
    if (truth == rule) continue;
    const auto birth_op = ops.find(table.blocks[block].birth_op);
    const std::uint32_t op = birth_op ? ops.maker(*birth_op) : 0;
    Disagreement& disagreement =
        disagreements
            .try_emplace({truth, rule, op},
                         Disagreement{truth.category, rule.category, truth.kind, rule.kind, {}, block, op})
            .first->second;
    ++disagreement.size.blocks;
    disagreement.size.bytes += bytes;
  }
  for (const auto& [key, disagreement] : disagreements) confusion.disagreements.push_back(disagreement);
  std::stable_sort(
      confusion.disagreements.begin(), confusion.disagreements.end(),
      [](const Disagreement& left, const Disagreement& right) { return left.size.bytes > right.size.bytes; });
  return confusion;
}

}  // namespace strata::analysis
