// SPDX-License-Identifier: Apache-2.0
// What is allocated on one device of a run that goes on, event by event.
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

// What is alive, by category. An owner is told; what has none yet is what the rules of a run that is cut
// short make of the phase that it was born in, and may turn out to be something else.
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
  // By sequence; what comes late anyway is taken for what it says of blocks that no later event spoke of.
  // Throws RunError where no device could hold it.
  void apply(const MemoryRow& event);

  // Whether the address is of a block that is alive; its owner is then told.
  bool bind(const TensorRow& tensor);

  std::uint64_t allocated_bytes() const { return allocated_bytes_; }
  // Nothing: the allocator keeps nothing back, or does not say.
  std::optional<std::uint64_t> reserved_bytes() const { return reserved_bytes_; }
  const LivePeak& peak() const { return peak_; }
  std::uint64_t peak_reserved_bytes() const { return peak_reserved_bytes_; }
  std::uint64_t failures() const { return failures_; }
  std::uint64_t last_failure_bytes() const { return last_failure_bytes_; }

  LiveCategories categories(const LivePhases& phases) const;
  // Those that something alive, with no owner, was born in.
  void add_birth_phases(std::set<std::uint32_t>& phases) const;

 private:
  // What blocks have in common that are of one category.
  struct Group {
    std::uint32_t role = 0;   // STRATA_TENSOR_*; 0: no owner
    std::uint32_t phase = 0;  // of the birth, where there is no owner
    bool parameter_sized = false;
    auto operator<=>(const Group&) const = default;
  };
  struct Block {
    std::uint64_t bytes = 0;
    std::uint64_t sequence = 0;
    Group group;
  };
  using Blocks = std::map<std::uint64_t, Block>;  // by address

  // The last allocation; the event after it tells how large the block is.
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
