// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/attribution/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>

#include "host/analysis/recording/recording.hpp"
#include "host/analysis/recording/run_error.hpp"
#include "strata/ext/graph.h"
#include "strata/ext/memory.h"
#include "strata/ext/tensor.h"

namespace strata::analysis {
namespace {

constexpr std::array<std::uint32_t, 19> kRolesByRank = {STRATA_TENSOR_PARAMETER,
                                                        STRATA_TENSOR_BUFFER,
                                                        STRATA_TENSOR_EMA,
                                                        STRATA_TENSOR_PROJECTOR,
                                                        STRATA_TENSOR_SCALER,
                                                        STRATA_TENSOR_OPTIMIZER_STATE,
                                                        STRATA_TENSOR_BUCKET,
                                                        STRATA_TENSOR_GRADIENT,
                                                        STRATA_TENSOR_USED_COPY,
                                                        STRATA_TENSOR_COPY,
                                                        STRATA_TENSOR_INPUT,
                                                        STRATA_TENSOR_TARGET,
                                                        STRATA_TENSOR_PREFETCH,
                                                        STRATA_TENSOR_LOGITS,
                                                        STRATA_TENSOR_LOSS,
                                                        STRATA_TENSOR_WORKSPACE,
                                                        STRATA_TENSOR_CHECKPOINT_INPUT,
                                                        STRATA_TENSOR_OFFLOADED,
                                                        STRATA_TENSOR_AUTOCAST_COPY};

class Sweep {
 public:
  explicit Sweep(const Recording& run) : run_(run) {
    table_.blocks.reserve(run.memory.size() / 2 + 1);
    table_.changes.reserve(run.memory.size());
  }

  BlockTable finish() && {
    auto tensor = run_.tensors.begin();
    auto saved = run_.saved.begin();
    for (const MemoryRow& row : run_.memory) {
      for (; tensor != run_.tensors.end() && tensor->sequence < row.sequence; ++tensor) bind(*tensor);
      for (; saved != run_.saved.end() && saved->sequence < row.sequence; ++saved) hold(*saved);
      row.action == STRATA_MEMORY_ALLOCATE ? allocate(row) : release(row);
    }
    for (; tensor != run_.tensors.end(); ++tensor) bind(*tensor);
    for (; saved != run_.saved.end(); ++saved) hold(*saved);
    for (const auto& [id, block] : holds_)
      table_.blocks[block].held_until_sequence = table_.blocks[block].death_sequence;
    disown_other_copies();

    warn(EventGap::kUnknownFree, unknown_frees_);
    warn(EventGap::kDoubleAllocation, double_allocations_);
    warn(EventGap::kHomelessTensor, homeless_tensors_);
    return std::move(table_);
  }

 private:
  void warn(EventGap gap, std::uint64_t count) {
    if (count > 0) table_.warnings.emplace_back(EventGaps{gap, count});
  }

  // The live block that holds the address.
  BlockIndex holder(std::uint64_t address) const {
    const auto after = live_.upper_bound(address);
    if (after == live_.begin()) return kNoBlock;
    const auto [begin, block] = *std::prev(after);
    const std::uint64_t offset = address - begin;
    return offset == 0 || offset < table_.blocks[block].bytes ? block : kNoBlock;
  }

  void end(BlockIndex index, const MemoryRow& row) {
    BlockHistory& block = table_.blocks[index];
    block.death_sequence = row.sequence;
    block.death_ns = row.ns;
    block.death_op = row.op;
    alive_bytes_ -= block.bytes;
  }

  void allocate(const MemoryRow& row) {
    if (row.address == 0) return;  // nothing was asked for
    const auto index = static_cast<BlockIndex>(table_.blocks.size());
    Change change{row.sequence, row.ns, index, kNoBlock};
    const auto [place, is_new] = live_.try_emplace(row.address, index);
    if (!is_new) {
      ++double_allocations_;
      change.died = std::exchange(place->second, index);
      end(change.died, row);
    }
    if (__builtin_add_overflow(alive_bytes_, row.bytes, &alive_bytes_)) {
      throw RunError(fmt::format("{}: the live bytes at event {} exceed 64 bits; the store is damaged",
                                 run_.directory.string(), row.sequence));
    }
    BlockHistory block;
    block.address = row.address;
    block.bytes = row.bytes;
    block.rounding_bytes = row.rounding_bytes;
    block.birth_sequence = row.sequence;
    block.birth_ns = row.ns;
    block.birth_op = row.op;
    block.birth_phase = row.phase;
    block.birth_module = row.module;
    block.place = place_of(row);
    table_.blocks.push_back(block);
    table_.changes.push_back(change);
  }

  // Few, and mostly that of the block before.
  std::uint32_t place_of(const MemoryRow& row) {
    const Place place{row.stream, row.pool};
    std::vector<Place>& places = table_.places;
    if (last_place_ < places.size() && places[last_place_] == place) return last_place_;
    const auto found = std::find(places.begin(), places.end(), place);
    last_place_ = static_cast<std::uint32_t>(found - places.begin());
    if (found == places.end()) places.push_back(place);
    return last_place_;
  }

  void release(const MemoryRow& row) {
    if (row.address == 0) return;
    const auto found = live_.find(row.address);
    if (found == live_.end()) {
      ++unknown_frees_;
      return;
    }
    end(found->second, row);
    table_.changes.push_back({row.sequence, row.ns, kNoBlock, found->second});
    live_.erase(found);
  }

  void bind(const TensorRow& tensor) {
    if (tensor.address == 0) return;  // a tensor of no elements
    const BlockIndex index = holder(tensor.address);
    if (index == kNoBlock) {
      ++homeless_tensors_;
      return;
    }
    BlockHistory& block = table_.blocks[index];
    if (block.role != 0 && role_rank(block.role) <= role_rank(tensor.role)) return;
    block.role = tensor.role;
    block.name = tensor.name;
    block.form = tensor.form;
    block.is_frozen = tensor.is_frozen;
    block.has_owner = tensor.owner_address != 0;
    block.parameter = block.has_owner ? holder(tensor.owner_address) : kNoBlock;
  }

  void hold(const SavedTensorRow& row) {
    if (row.action == STRATA_GRAPH_SAVE) {
      const BlockIndex index = holder(row.address);
      if (row.address == 0 || index == kNoBlock) return;
      BlockHistory& block = table_.blocks[index];
      if (!block.saved) block.saver_module = row.module;
      block.saved = true;
      holds_.insert_or_assign(row.saved, index);
    } else if (const auto held = holds_.find(row.saved); held != holds_.end()) {
      BlockHistory& block = table_.blocks[held->second];
      block.held_until_sequence =
          std::max(block.held_until_sequence, std::min(row.sequence, block.death_sequence));
      holds_.erase(held);
    }
  }

  std::uint32_t role_of_owner(const BlockHistory& block) const {
    return block.parameter == kNoBlock ? 0 : table_.blocks[block.parameter].role;
  }

  bool is_copy_of_other(const BlockHistory& block) const {
    const bool is_found = is_program_copy(block.role) && !block.has_owner;  // as a plain tensor
    return !is_found && !counts_as_copy(block.role, role_of_owner(block));
  }

  // Autocast reports each cast; which ones were casts of parameters is only known once all owners are known.
  void disown_other_copies() {
    for (BlockHistory& block : table_.blocks) {
      if (!is_copy_of_other(block)) continue;
      block.role = 0;
      block.name = 0;
      block.form = {};
      block.parameter = kNoBlock;
    }
  }

  const Recording& run_;
  BlockTable table_;
  std::map<std::uint64_t, BlockIndex> live_;             // by address
  std::unordered_map<std::uint64_t, BlockIndex> holds_;  // what autograd holds, by the number of its SAVE
  std::uint64_t alive_bytes_ = 0;
  std::uint32_t last_place_ = 0;
  std::uint64_t unknown_frees_ = 0, double_allocations_ = 0, homeless_tensors_ = 0;
};

}  // namespace

bool is_program_copy(std::uint32_t role) {
  return role == STRATA_TENSOR_COPY || role == STRATA_TENSOR_USED_COPY;
}

bool counts_as_copy(std::uint32_t role, std::uint32_t source) {
  switch (role) {
    case STRATA_TENSOR_AUTOCAST_COPY:
      return source == STRATA_TENSOR_PARAMETER;
    case STRATA_TENSOR_COPY:
    case STRATA_TENSOR_USED_COPY:
      return source == STRATA_TENSOR_PARAMETER || source == STRATA_TENSOR_BUFFER ||
             source == STRATA_TENSOR_GRADIENT;
    default:
      return true;
  }
}

int role_rank(std::uint32_t role) {
  return static_cast<int>(std::find(kRolesByRank.begin(), kRolesByRank.end(), role) - kRolesByRank.begin());
}

BlockTable build_blocks(const Recording& run) {
  return Sweep(run).finish();
}

}  // namespace strata::analysis
