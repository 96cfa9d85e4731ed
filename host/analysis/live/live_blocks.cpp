// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/live/live_blocks.hpp"

#include <algorithm>
#include <iterator>

#include "host/analysis/attribution/blocks.hpp"
#include "host/analysis/attribution/rules.hpp"
#include "host/analysis/facts/block.hpp"
#include "host/analysis/recording/run_error.hpp"
#include "strata/ext/memory.h"
#include "strata/ext/tensor.h"

namespace strata::analysis {

void LiveBlocks::apply(const MemoryRow& event) {
  settle(event);
  switch (event.action) {
    case STRATA_MEMORY_ALLOCATE:
      allocate(event);
      break;
    case STRATA_MEMORY_FREE:
      release(event);
      break;
    case STRATA_MEMORY_SEGMENT_ALLOCATE:
      reserve(reserved_bytes_.value_or(0) + event.bytes);
      break;
    case STRATA_MEMORY_SEGMENT_FREE:
      reserve(reserved_bytes_.value_or(0) - std::min(reserved_bytes_.value_or(0), event.bytes));
      break;
    case STRATA_MEMORY_RESERVED:
      reserve(event.bytes);
      break;
    case STRATA_MEMORY_OUT_OF_MEMORY:
      ++failures_;
      last_failure_bytes_ = event.bytes;
      break;
    default:
      break;
  }
  note_peak(event);
}

void LiveBlocks::allocate(const MemoryRow& event) {
  if (event.address == 0) return;  // nothing was asked for
  const auto [place, is_new] = blocks_.try_emplace(event.address);
  if (!is_new && place->second.sequence > event.sequence) return;
  if (!is_new) discount(place->second);
  place->second = {
      .bytes = event.bytes,
      .sequence = event.sequence,
      .group = {.role = 0, .phase = event.phase, .parameter_sized = parameter_sizes_.contains(event.bytes)}};
  account(place->second);
  unsettled_ = {event.address, event.sequence, event.bytes, event.handed_out_bytes};
}

void LiveBlocks::release(const MemoryRow& event) {
  const auto found = blocks_.find(event.address);
  if (found == blocks_.end() || found->second.sequence > event.sequence) return;
  discount(found->second);
  blocks_.erase(found);
}

// A caching allocator's block may be larger than requested; its count reveals that (use_whole_blocks).
void LiveBlocks::settle(const MemoryRow& next) {
  const Unsettled last = unsettled_;
  if (last.address == 0 || next.sequence <= last.sequence) return;
  unsettled_ = {};
  if (next.handed_out_bytes < last.handed_out_bytes) return;
  const std::uint64_t bytes = next.handed_out_bytes - last.handed_out_bytes;
  const auto found = blocks_.find(last.address);
  if (bytes <= last.asked_bytes || found == blocks_.end() || found->second.sequence != last.sequence) return;
  discount(found->second);
  found->second.bytes = bytes;
  found->second.group.parameter_sized = parameter_sizes_.contains(bytes);
  account(found->second);
  if (allocated_bytes_ > peak_.bytes) peak_.bytes = allocated_bytes_;
}

void LiveBlocks::reserve(std::uint64_t bytes) {
  reserved_bytes_ = bytes;
  peak_reserved_bytes_ = std::max(peak_reserved_bytes_, bytes);
}

void LiveBlocks::account(const Block& block) {
  if (__builtin_add_overflow(allocated_bytes_, block.bytes, &allocated_bytes_))
    throw RunError("the live bytes exceed 64 bits; the store is damaged");
  groups_[block.group] += block.bytes;
}

void LiveBlocks::discount(const Block& block) {
  allocated_bytes_ -= block.bytes;
  const auto group = groups_.find(block.group);
  group->second -= block.bytes;
  if (group->second == 0) groups_.erase(group);
}

void LiveBlocks::note_peak(const MemoryRow& event) {
  if (allocated_bytes_ > peak_.bytes) peak_ = {allocated_bytes_, event.sequence, event.ns, event.phase};
}

LiveBlocks::Blocks::iterator LiveBlocks::holder(std::uint64_t address) {
  const auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return blocks_.end();
  const auto before = std::prev(after);
  const std::uint64_t offset = address - before->first;
  return offset == 0 || offset < before->second.bytes ? before : blocks_.end();
}

bool LiveBlocks::bind(const TensorRow& tensor) {
  const auto found = tensor.address == 0 ? blocks_.end() : holder(tensor.address);
  if (found == blocks_.end() || found->second.sequence > tensor.sequence) return false;
  Block& block = found->second;
  std::uint32_t role = tensor.role;
  if (role == STRATA_TENSOR_AUTOCAST_COPY || (is_program_copy(role) && tensor.owner_address != 0)) {
    const auto owner = holder(tensor.owner_address);
    const std::uint32_t source = owner == blocks_.end() ? 0 : owner->second.group.role;
    if (!counts_as_copy(role, source)) return true;
    if (source == STRATA_TENSOR_GRADIENT) role = source;
  }
  if (tensor.role == STRATA_TENSOR_PARAMETER) parameter_sizes_.insert(block.bytes);
  if (block.group.role != 0 && role_rank(block.group.role) <= role_rank(role)) return true;
  discount(block);
  block.group = {.role = role, .phase = 0, .parameter_sized = false};
  account(block);
  return true;
}

LiveCategories LiveBlocks::categories(const LivePhases& phases) const {
  static const RuleTable rules = without_saved(standard_rules());
  LiveCategories categories;
  for (const auto& [group, bytes] : groups_) {
    Evidence evidence = phases.evidence_of_birth_in(group.phase);
    evidence.role = group.role;
    evidence.parameter_sized = group.parameter_sized;
    const auto category = static_cast<std::size_t>(decide(rules, evidence).category);
    (group.role != 0 ? categories.owned : categories.provisional)[category] += bytes;
  }
  return categories;
}

void LiveBlocks::add_birth_phases(std::set<std::uint32_t>& phases) const {
  for (const auto& [group, bytes] : groups_) {
    if (group.role == 0) phases.insert(group.phase);
  }
}

}  // namespace strata::analysis
