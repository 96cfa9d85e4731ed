// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "host/analysis/facts/block_kind.hpp"
#include "host/analysis/facts/category.hpp"
#include "host/analysis/facts/reason.hpp"
#include "host/analysis/facts/tensor_form.hpp"

namespace strata::analysis {

// One allocation from its birth to its death.
struct Block {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t birth_sequence = 0;
  std::uint64_t death_sequence = UINT64_MAX;  // UINT64_MAX: alive at the end
  std::int64_t birth_ns = 0;
  std::int64_t death_ns = INT64_MAX;
  Category category = Category::kUnknown;
  BlockKind kind = BlockKind::kUnattributed;
  Reason reason = Reason::kNone;     // the rule that decided
  std::uint32_t name = 0;            // index into Facts::texts: the owner's name, or 0
  std::uint32_t op = 0;              // index into Facts::texts: the op that made it
  std::uint32_t layer = 0;           // index into Facts::texts: the creator's module path
  std::uint32_t saver = 0;           // index into Facts::texts: the module whose graph saved it
  std::uint32_t phase = 0;           // index into Facts::phases + 1 at its birth; 0 outside
  std::uint32_t place = 0;           // index into Facts::block_places
  std::uint32_t form = kNoForm;      // index into Facts::forms: of the tensor registered in it
  bool is_frozen = false;            // a parameter that needs no gradient, if known
  std::uint64_t rounding_bytes = 0;  // of `bytes`, added by the allocator
  std::uint64_t birth_op = 0;  // ordinal of the innermost operator at its birth (OpSpan::ordinal); 0: none

  bool is_alive_at(std::uint64_t sequence) const {
    return birth_sequence <= sequence && sequence < death_sequence;
  }
};

}  // namespace strata::analysis
