// SPDX-License-Identifier: Apache-2.0
// How many bytes of some blocks count at a moment, each from one moment of its life to another.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace strata::analysis {

class ByteLevels {
 public:
  class Changes {
   public:
    // From `begin` on until `end`, both sequences; nothing where it ends before.
    void add(std::uint64_t bytes, std::uint64_t begin, std::uint64_t end) {
      if (begin >= end) return;
      of_sequence_[begin] += static_cast<std::int64_t>(bytes);
      of_sequence_[end] -= static_cast<std::int64_t>(bytes);
    }

   private:
    friend ByteLevels;
    std::map<std::uint64_t, std::int64_t> of_sequence_;
  };

  ByteLevels() = default;
  explicit ByteLevels(const Changes& changes) {
    std::int64_t bytes = 0;
    for (const auto& [sequence, change] : changes.of_sequence_) {
      bytes += change;
      levels_.push_back({sequence, static_cast<std::uint64_t>(bytes)});
    }
  }

  std::uint64_t at(std::uint64_t sequence) const {
    const auto next = std::ranges::upper_bound(levels_, sequence, {}, &Level::sequence);
    return next == levels_.begin() ? 0 : (next - 1)->bytes;
  }

 private:
  struct Level {
    std::uint64_t sequence = 0, bytes = 0;  // from then on
  };
  std::vector<Level> levels_;  // by sequence
};

}  // namespace strata::analysis
