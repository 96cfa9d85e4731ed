// SPDX-License-Identifier: Apache-2.0
// The memory allocated on one device of a running run, event by event.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>

#include "host/analysis/facts/category.hpp"
#include "host/analysis/live/live_phases.hpp"
#include "host/analysis/recording/memory_rows.hpp"

namespace strata::analysis {

// Live memory by category. Blocks with a registered owner are final. Others get the category that the rules
// give to their phase of birth if the run ended now, and may change later.
struct LiveCategories {
  CategoryBytes owned{}, provisional{};
};

struct LivePeak {
  std::uint64_t bytes = 0;
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  std::uint32_t phase = 0;  // its ordinal; 0 outside
};

class LiveBlocks {
 public:
  // By sequence. Late events are applied only to blocks that no later event mentioned. Throws RunError for
  // sizes that no device can have.
  void apply(const MemoryRow& event);

  // Returns whether the address belongs to a live block; its owner is then known.
  bool bind(const TensorRow& tensor);

  std::uint64_t allocated_bytes() const { return allocated_bytes_; }
  // Empty if the allocator does not cache, or does not report it.
  std::optional<std::uint64_t> reserved_bytes() const { return reserved_bytes_; }
  const LivePeak& peak() const { return peak_; }
  std::uint64_t peak_reserved_bytes() const { return peak_reserved_bytes_; }
  std::uint64_t failures() const { return failures_; }
  std::uint64_t last_failure_bytes() const { return last_failure_bytes_; }

  LiveCategories categories(const LivePhases& phases) const;
  // The birth phases of live blocks without an owner.
  void add_birth_phases(std::set<std::uint32_t>& phases) const;

 private:
  // Properties that determine a block's category.
  struct Group {
    std::uint32_t role = 0;   // STRATA_TENSOR_*; 0: no owner
    std::uint32_t phase = 0;  // at its birth, if there is no owner
    bool parameter_sized = false;
    auto operator<=>(const Group&) const = default;
  };
  struct Block {
    std::uint64_t bytes = 0;
    std::uint64_t sequence = 0;
    Group group;
  };
  using Blocks = std::map<std::uint64_t, Block>;  // by address

  // The last allocation; the next event gives its block's size.
  struct Unsettled {
    std::uint64_t address = 0, sequence = 0, asked_bytes = 0, handed_out_bytes = 0;
  };

  void allocate(const MemoryRow& event);
  void release(const MemoryRow& event);
  void settle(const MemoryRow& next);
  void reserve(std::uint64_t bytes);
  void account(const Block& block);
  void discount(const Block& block);
  void note_peak(const MemoryRow& event);
  Blocks::iterator holder(std::uint64_t address);

  Blocks blocks_;
  std::map<Group, std::uint64_t> groups_;  // bytes
  std::unordered_set<std::uint64_t> parameter_sizes_;
  Unsettled unsettled_;
  std::uint64_t allocated_bytes_ = 0;
  std::optional<std::uint64_t> reserved_bytes_;
  LivePeak peak_;
  std::uint64_t peak_reserved_bytes_ = 0;
  std::uint64_t failures_ = 0, last_failure_bytes_ = 0;
};

}  // namespace strata::analysis
