// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/shapes/free_pieces.hpp"

#include <algorithm>
#include <map>

#include "host/analysis/facts/memory_facts.hpp"

namespace strata::analysis {
namespace {

// c10's kSmallBuffer: what blocks of up to 1 MiB lie in.
constexpr std::uint64_t kSmallSegmentBytes = 2097152;

struct PieceSegment {
  std::uint64_t bytes = 0;
  Place place;
};

// Follows segments and the blocks in those that are large.
class Pieces {
 public:
  explicit Pieces(const MemoryFacts& facts) : facts_(facts) {
    for (std::uint32_t block = 0; block < facts.blocks.size(); ++block) {
      if (facts.blocks[block].death_sequence != UINT64_MAX) deaths_.push_back(block);
    }
    std::ranges::sort(deaths_, {}, [&](std::uint32_t block) { return facts_.blocks[block].death_sequence; });
  }

  // All births and deaths up to and with `sequence`. Both are visited in their order, the earlier one first.
  void advance_to(std::uint64_t sequence) {
    const auto& blocks = facts_.blocks;
    while (true) {
      const std::uint64_t birth =
          next_birth_ < blocks.size() ? blocks[next_birth_].birth_sequence : UINT64_MAX;
      const std::uint64_t death =
          next_death_ < deaths_.size() ? blocks[deaths_[next_death_]].death_sequence : UINT64_MAX;
      if (std::min(birth, death) > sequence) return;
      if (death <= birth) {
        count(blocks[deaths_[next_death_++]], false);
      } else {
        count(blocks[next_birth_++], true);
      }
    }
  }

  void change(const ReservedPoint& point) {
    if (const auto gone = segments_.find(point.segment_address); gone != segments_.end()) {
      if (is_large(gone->second)) held_[gone->second.place] -= gone->second.bytes;
      segments_.erase(gone);
    }
    if (point.change_bytes <= 0) return;
    const PieceSegment taken{static_cast<std::uint64_t>(point.change_bytes), point.place};
    segments_[point.segment_address] = taken;
    if (is_large(taken)) held_[taken.place] += taken.bytes;
  }

  std::uint64_t free_in(const Place& place) const {
    const std::uint64_t held = of(held_, place);
    return held - std::min(held, of(used_, place));
  }

 private:
  static bool is_large(const PieceSegment& segment) { return segment.bytes > kSmallSegmentBytes; }

  static std::uint64_t of(const std::map<Place, std::uint64_t>& sums, const Place& place) {
    const auto found = sums.find(place);
    return found == sums.end() ? 0 : found->second;
  }

  // A block of several mapped pieces is where its begin is.
  void count(const Block& block, bool is_birth) {
    const auto next = segments_.upper_bound(block.address);
    if (next == segments_.begin()) return;
    const auto& [address, segment] = *std::prev(next);
    if (is_birth) {
      if (!is_large(segment) || block.address >= address + segment.bytes) return;
      alive_[block.address] = block.bytes;
      used_[segment.place] += block.bytes;
    } else if (const auto alive = alive_.find(block.address); alive != alive_.end()) {
      used_[segment.place] -= alive->second;
      alive_.erase(alive);
    }
  }

  const MemoryFacts& facts_;
  std::vector<std::uint32_t> deaths_;  // blocks, by death
  std::size_t next_birth_ = 0, next_death_ = 0;
  std::map<std::uint64_t, PieceSegment> segments_;  // by address
  std::map<std::uint64_t, std::uint64_t> alive_;    // bytes of blocks in large segments, by address
  std::map<Place, std::uint64_t> held_, used_;      // by large segments, and of them by blocks
};

}  // namespace

std::vector<SegmentTaken> segments_taken(const MemoryFacts& facts) {
  std::vector<SegmentTaken> taken;
  Pieces pieces(facts);
  for (const ReservedPoint& point : facts.reserved) {
    if (point.segment_address == kNoSegment) return {};
    pieces.advance_to(point.sequence);
    const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(point.change_bytes, 0));
    if (bytes > kSmallSegmentBytes)
      taken.push_back({point.sequence, point.ns, bytes, pieces.free_in(point.place), point.bytes});
    pieces.change(point);
  }
  return taken;
}

}  // namespace strata::analysis
