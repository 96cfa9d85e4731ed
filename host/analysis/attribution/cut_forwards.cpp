// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/attribution/cut_forwards.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "host/analysis/recording/recording.hpp"

namespace strata::analysis {
namespace {

using Sequences = std::vector<std::uint64_t>;

// Among the moments at which `block` was alive and `pass` was in its forward: the first, and the one after
// the last.
std::pair<Sequences::const_iterator, Sequences::const_iterator> met(const Sequences& moments,
                                                                    const BlockHistory& block,
                                                                    const Pass& pass) {
  const auto first = std::ranges::upper_bound(moments, std::max(block.birth_sequence, pass.forward_begin));
  const auto last =
      std::lower_bound(first, moments.end(), std::min(block.death_sequence, pass.forward_over()));
  return {first, last};
}

bool died_before_backward(const BlockHistory& block, const Pass& pass) {
  return block.death_sequence < pass.backward_begin;
}

}  // namespace

// A library may try a smaller workspace after a larger one fails, and the forward continues: then most live
// blocks remain until backward. An exception frees them.
CutForwards::CutForwards(const Recording& run, const BlockTable& table, const StepStructure& structure)
    : structure_(structure) {
  if (run.failures.empty()) return;
  Sequences failures;
  for (const FailureRow& row : run.failures) failures.push_back(row.sequence);
  std::ranges::sort(failures);

  // Bytes of forwards' blocks from one failure to the next, as what comes and what goes.
  std::vector<std::uint64_t> alive(failures.size() + 1), lost(failures.size() + 1);
  for (const BlockHistory& block : table.blocks) {
    const Moment birth = structure.at(block.birth_sequence, block.birth_phase);
    if (birth.stage != Stage::kForward || birth.pass == nullptr) continue;
    const auto during = met(failures, block, *birth.pass);
    if (during.first == during.second) continue;
    const auto change = [&](std::vector<std::uint64_t>& bytes) {
      bytes[static_cast<std::size_t>(during.first - failures.begin())] += block.bytes;
      bytes[static_cast<std::size_t>(during.second - failures.begin())] -= block.bytes;
    };
    change(alive);
    if (died_before_backward(block, *birth.pass)) change(lost);
  }
  std::uint64_t alive_bytes = 0, lost_bytes = 0;
  for (std::size_t index = 0; index < failures.size(); ++index) {
    alive_bytes += alive[index];
    lost_bytes += lost[index];
    if (lost_bytes > alive_bytes - lost_bytes) cuts_.push_back(failures[index]);
  }
}

std::uint64_t CutForwards::cut_off(const BlockHistory& block) const {
  if (cuts_.empty()) return kNever;
  const Moment birth = structure_.at(block.birth_sequence, block.birth_phase);
  const Pass* pass = nullptr;
  if (birth.stage == Stage::kForward) pass = birth.pass;
  if (birth.stage == Stage::kBetween) pass = structure_.next_pass(block.birth_sequence);
  if (pass == nullptr || !died_before_backward(block, *pass)) return kNever;
  const auto [first, last] = met(cuts_, block, *pass);
  return first == last ? kNever : *first;
}

}  // namespace strata::analysis
