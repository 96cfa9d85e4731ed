// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/allocator/places.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "host/analysis/allocator/caching_allocator.hpp"
#include "host/analysis/facts/memory_facts.hpp"

namespace strata::analysis {
namespace {

std::map<Place, PlaceShare> allocated_at(const MemoryFacts& facts, std::uint64_t sequence) {
  std::map<Place, PlaceShare> shares;
  for (const Block& block : facts.blocks) {
    if (block.birth_sequence > sequence || block.death_sequence <= sequence) continue;
    PlaceShare& share = shares[facts.block_places[block.place]];
    share.allocated_bytes += block.bytes;
    ++share.blocks;
  }
  return shares;
}

void add_reserved(const MemoryFacts& facts, std::uint64_t sequence, std::map<Place, PlaceShare>& shares) {
  if (facts.reserved.empty() || !has_segments(facts.reserved)) return;
  std::map<Place, std::int64_t> reserved;
  for (const ReservedPoint& point : facts.reserved) {
    if (point.sequence > sequence) break;
    reserved[point.place] += point.change_bytes;
  }
  for (auto& [place, share] : shares) share.reserved_bytes = 0;
  for (const auto& [place, bytes] : reserved)
    shares[place].reserved_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0));
}

}  // namespace

std::vector<PlaceShare> places_at(const MemoryFacts& facts, std::uint64_t sequence) {
  if (!facts.device.starts_with("cuda:")) return {};
  std::map<Place, PlaceShare> shares = allocated_at(facts, sequence);
  add_reserved(facts, sequence, shares);
  std::vector<PlaceShare> sorted;
  for (auto& [place, share] : shares) {
    share.place = place;
    if (share.allocated_bytes > 0 || share.reserved_bytes.value_or(0) > 0) sorted.push_back(share);
  }
  std::ranges::stable_sort(sorted, std::greater{}, [](const PlaceShare& share) {
    return std::pair(share.reserved_bytes.value_or(0), share.allocated_bytes);
  });
  return sorted;
}

std::optional<std::uint64_t> free_elsewhere(const std::vector<PlaceShare>& shares) {
  std::uint64_t bytes = 0;
  for (std::size_t index = 1; index < shares.size(); ++index) {
    const PlaceShare& share = shares[index];
    if (!share.reserved_bytes) return std::nullopt;
    bytes += *share.reserved_bytes - std::min(*share.reserved_bytes, share.allocated_bytes);
  }
  return bytes;
}

}  // namespace strata::analysis
