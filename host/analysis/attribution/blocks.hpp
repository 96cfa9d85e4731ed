// SPDX-License-Identifier: Apache-2.0
// Events to blocks: one block is one allocation, from its birth to its death, with who registered it and what
// autograd did with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/analysis/facts/point.hpp"
#include "host/analysis/facts/tensor_form.hpp"
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

  std::uint32_t role = 0;           // STRATA_TENSOR_* of its owner; 0: no one registered it
  std::uint32_t name = 0;           // text: as registered
  BlockIndex parameter = kNoBlock;  // of a gradient or of optimizer state: the block it belongs to
  TensorForm form;                  // as registered
  bool is_frozen = false;           // a parameter that needs no gradient, as registered

  bool saved = false;                     // autograd took hold of it
  std::uint32_t saver_module = 0;         // ordinal of the module range that saved it first
  std::uint64_t held_until_sequence = 0;  // when autograd let go for the last time

  std::uint64_t rounding_bytes = 0;  // of `bytes`, those that nobody asked for
};

// What one event did. A block ends without a FREE when another is born at its address.
struct Change {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  BlockIndex born = kNoBlock, died = kNoBlock;
};

struct BlockTable {
  std::vector<BlockHistory> blocks;  // by birth_sequence
  std::vector<Change> changes;       // by sequence
  std::vector<Place> places;         // the streams and pools that blocks are of
  std::vector<std::string> warnings;
};

// A registration binds to the block that holds its address at its sequence, for that block's whole life; of
// several the first in the order of `role_rank` counts. Of what autocast cast, copies of parameters keep
// their registration. Throws RunError when what is alive exceeds 64 bits of bytes.
BlockTable build_blocks(const Recording& run);

// Smaller goes first when one storage plays several roles.
int role_rank(std::uint32_t role);

}  // namespace strata::analysis
