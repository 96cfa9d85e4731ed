// SPDX-License-Identifier: Apache-2.0
// Converts events to blocks: a block is one allocation from its birth to its death, with its registration and
// autograd's use of it.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/facts/point.hpp"
#include "host/analysis/facts/tensor_form.hpp"
#include "host/analysis/facts/warning.hpp"
#include "host/analysis/recording/structure_rows.hpp"

namespace strata::analysis {

struct Recording;

using BlockIndex = std::uint32_t;
inline constexpr BlockIndex kNoBlock = UINT32_MAX;

struct BlockHistory {
  std::uint64_t address = 0, bytes = 0;
  std::uint64_t birth_sequence = 0, death_sequence = kNever;
  std::int64_t birth_ns = 0, death_ns = INT64_MAX;
  std::uint64_t birth_op = 0, death_op = 0;  // ordinals
  std::uint32_t birth_phase = 0, birth_module = 0;
  std::uint32_t place = 0;  // index into BlockTable::places

  std::uint32_t role = 0;           // STRATA_TENSOR_* of its owner; 0: not registered
  std::uint32_t name = 0;           // text: as registered
  BlockIndex parameter = kNoBlock;  // for a gradient or optimizer state: the block of its parameter
  bool has_owner = false;           // as registered, even if no block holds it
  TensorForm form;                  // as registered
  bool is_frozen = false;           // a parameter that needs no gradient, as registered

  bool saved = false;                     // autograd saved it
  std::uint32_t saver_module = 0;         // ordinal of the first module range that saved it
  std::uint64_t held_until_sequence = 0;  // when autograd released it for the last time

  std::uint64_t rounding_bytes = 0;  // of `bytes`, added by the allocator
};

// The effect of one event. A block ends without a FREE if another is born at its address.
struct Change {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  BlockIndex born = kNoBlock, died = kNoBlock;
};

struct BlockTable {
  std::vector<BlockHistory> blocks;  // by birth_sequence
  std::vector<Change> changes;       // by sequence
  std::vector<Place> places;         // streams and pools of the blocks
  std::vector<Warning> warnings;     // EventGaps
};

// A registration applies to the block that holds its address at its sequence, for that block's whole life. If
// there are several, the first in the order of `role_rank` counts. Of copies, only those of parameters
// and, if autocast did not make them, of buffers and gradients keep their registration. Throws RunError if
// the live bytes exceed 64 bits.
BlockTable build_blocks(const Recording& run);

// If a storage has several roles, the smallest rank wins.
int role_rank(std::uint32_t role);

// Whether `role` is that of a copy that a program made for itself.
bool is_program_copy(std::uint32_t role);

// Whether the registration of a copy (`role`) counts if what it was copied from has the role `source`, 0 for
// none. True of roles that are no copies.
bool counts_as_copy(std::uint32_t role, std::uint32_t source);

}  // namespace strata::analysis
