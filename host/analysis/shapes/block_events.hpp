// SPDX-License-Identifier: Apache-2.0
// The births, deaths and deferred frees of a run's blocks, in their order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "host/analysis/facts/memory_facts.hpp"

namespace strata::analysis {

class BlockEvents {
 public:
  // Uses the blocks and deferred frees of `facts`, which must outlive this.
  explicit BlockEvents(const MemoryFacts& facts) : blocks_(facts.blocks), deferred_(facts.samples.deferred) {
    for (std::uint32_t block = 0; block < blocks_.size(); ++block)
      if (blocks_[block].death_sequence != UINT64_MAX) deaths_.push_back(block);
    std::ranges::sort(deaths_, {}, [&](std::uint32_t block) { return blocks_[block].death_sequence; });
  }

  // Gives `visitor` all events up to and with `sequence`; at one sequence, what ends comes first. It has
  // birth(block); death(block); defer(block) for a block that is freed while a stream still uses it; and
  // complete(address) when none does any more.
  template <typename Visitor>
  void advance_to(std::uint64_t sequence, Visitor& visitor) {
    while (true) {
      const std::uint64_t birth =
          next_birth_ < blocks_.size() ? blocks_[next_birth_].birth_sequence : UINT64_MAX;
      const std::uint64_t death =
          next_death_ < deaths_.size() ? blocks_[deaths_[next_death_]].death_sequence : UINT64_MAX;
      const std::uint64_t deferred =
          next_deferred_ < deferred_.size() ? deferred_[next_deferred_].sequence : UINT64_MAX;
      const std::uint64_t next = std::min({birth, death, deferred});
      if (next > sequence || next == UINT64_MAX) return;
      if (next == death)
        end(blocks_[deaths_[next_death_++]], birth, visitor);
      else if (next == deferred)
        complete(deferred_[next_deferred_++], visitor);
      else
        visitor.birth(blocks_[next_birth_++]);
    }
  }

 private:
  // The allocator reports right after a free that it is deferred.
  template <typename Visitor>
  void end(const Block& block, std::uint64_t next_birth, Visitor& visitor) {
    const bool is_deferred =
        next_deferred_ < deferred_.size() && deferred_[next_deferred_].change_bytes > 0 &&
        deferred_[next_deferred_].address == block.address && deferred_[next_deferred_].sequence < next_birth;
    if (!is_deferred) return visitor.death(block);
    ++next_deferred_;
    visitor.defer(block);
  }

  template <typename Visitor>
  static void complete(const DeferredPoint& point, Visitor& visitor) {
    if (point.change_bytes < 0) visitor.complete(point.address);
  }

  const std::vector<Block>& blocks_;
  const std::vector<DeferredPoint>& deferred_;
  std::vector<std::uint32_t> deaths_;  // blocks, by death
  std::size_t next_birth_ = 0, next_death_ = 0, next_deferred_ = 0;
};

}  // namespace strata::analysis
