// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/out_of_memory.hpp"

#include <algorithm>

#include "host/analysis/ops.hpp"
#include "host/analysis/peak/head_to_come.hpp"
#include "host/analysis/peak/peak.hpp"
#include "host/analysis/peak/remedies.hpp"
#include "host/analysis/peak/still_to_come.hpp"
#include "host/analysis/steps/open_phases.hpp"

namespace strata::analysis {
namespace {

// Tokens that a decoder looks up are not known before it, but where a forward went to its end.
HeadToCome head_behind(const Facts& facts, const OutOfMemory& failure, const ForwardToCome& forward) {
  if (!forward.has_other_blocks) return head_to_come(facts, failure);
  return forward.is_as_before ? head_to_come(facts, failure, TokensOf::kForwardBefore) : HeadToCome();
}

}  // namespace

std::vector<OutOfMemory> explain_failures(const Facts& facts, const Recording& run, const OpTable& ops,
                                          const Layers& layers) {
  std::vector<OutOfMemory> failures;
  for (const FailureRow& row : run.failures) {
    OutOfMemory failure;
    failure.requested_bytes = row.bytes;
    failure.device_free_bytes = row.device_free_bytes;
    failure.largest_gap_bytes = row.largest_gap_bytes;
    failure.whole_handle_bytes = row.whole_handle_bytes;
    if (const auto op = ops.find(row.op)) failure.op = ops.maker(*op);
    failure.layer = layers.at(row.op, row.module);
    failure.held = alive_at(facts, row.sequence, row.ns);
    failure.state_to_come_bytes = state_to_come(facts, failure);
    failure.pass_to_come_bytes = pass_to_come(facts, failure);
    const ForwardToCome forward = forward_to_come(facts, failure);
    failure.forward_to_come_bytes = forward.bytes;
    failure.has_stages_to_come = forward.has_stages;
    failure.is_forward_as_before = forward.is_as_before;
    failure.is_forward_untold = forward.is_untold;
    failure.loss_to_come_bytes = loss_to_come(facts, failure);
    const HeadToCome head = head_behind(facts, failure, forward);
    failure.head_to_come_bytes = head.bytes;
    failure.logits_let_go_bytes = head.bytes - head.least_bytes;
    failure.head_logits = head.logits;
    failure.head_tokens = head.tokens;
    failure.adam_to_come_bytes = adam_to_come(facts, failure);
    failure.gradients_to_come_bytes = gradients_to_come(facts, failure);
    failure.next_step_bytes = next_step(facts, failure);
    failure.remedies = find_remedies(facts, failure);
    failures.push_back(std::move(failure));
  }
  return failures;
}

bool ended_out_of_memory(const Recording& run, const BlockTable& table) {
  if (run.failures.empty()) return false;
  if (run.end == "out_of_memory") return true;
  const std::uint64_t last = run.failures.back().sequence;
  return std::ranges::none_of(table.blocks,
                              [&](const BlockHistory& block) { return block.birth_sequence > last; });
}

bool is_before_any_forward(const Facts& facts, const OutOfMemory& failure) {
  return !has_gone_forward(facts.phases, failure.held.sequence);
}

std::optional<std::uint64_t> computes_from(const Facts& facts, const OutOfMemory& failure) {
  const auto first = std::ranges::find_if(facts.blocks, [&](const Block& block) {
    return (traits_of(facts.texts[block.op]) & kMatrixProduct) != 0;
  });
  if (first == facts.blocks.end() || first->birth_sequence > failure.held.sequence) return std::nullopt;
  return first->birth_sequence;
}

std::uint64_t alive_from(const Facts& facts, const OutOfMemory& failure, std::uint64_t sequence) {
  std::uint64_t bytes = 0;
  for (const Block& block : facts.blocks)
    if (block.birth_sequence >= sequence && block.is_alive_at(failure.held.sequence)) bytes += block.bytes;
  return bytes;
}

}  // namespace strata::analysis
