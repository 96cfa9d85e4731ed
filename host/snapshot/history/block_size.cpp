// SPDX-License-Identifier: Apache-2.0
#include "host/snapshot/history/block_size.hpp"

#include <algorithm>
#include <bit>

namespace strata::snapshot {
namespace {

// c10's kMinBlockSize and kSmallSize.
constexpr std::uint64_t kUnit = 512;
constexpr std::uint64_t kSmallSize = std::uint64_t{1} << 20;
constexpr int kFirstDivision = 20;  // log2 of kRoundUpPowerOfTwoStart in bytes

std::uint64_t next_division(std::uint64_t bytes, std::uint64_t divisions) {
  if (std::has_single_bit(bytes)) return bytes;
  const std::uint64_t floor = std::bit_floor(bytes);
  const std::uint64_t part = floor >> (static_cast<unsigned>(std::bit_width(divisions)) - 1);
  if (part == 0) return floor << 1;
  const std::uint64_t below = bytes & ~(part - 1);
  return below == bytes ? bytes : below + part;
}

}  // namespace

std::uint64_t BlockSize::divisions_for(std::uint64_t bytes) const {
  const auto& divisions = settings_.roundup_power2_divisions;
  if (divisions.empty()) return 0;
  const int log2 = static_cast<int>(std::bit_width(bytes)) - 1;
  const int index = std::clamp(log2 - kFirstDivision, 0, static_cast<int>(divisions.size()) - 1);
  return divisions[static_cast<std::size_t>(index)];
}

std::uint64_t BlockSize::rounded(std::uint64_t requested_bytes) const {
  if (requested_bytes < kUnit) return kUnit;
  const std::uint64_t divisions = divisions_for(requested_bytes);
  if (divisions > 1 && requested_bytes > kUnit * divisions) return next_division(requested_bytes, divisions);
  return (requested_bytes + kUnit - 1) / kUnit * kUnit;
}

std::uint64_t BlockSize::whole(const Blocks& blocks, const Segments& segments, std::uint64_t address,
                               std::uint64_t requested_bytes) const {
  const std::uint64_t bytes = rounded(requested_bytes);
  const auto segment = segment_at(segments, address);
  // A piece of an expandable segment is always split.
  if (segment == segments.end() || segment->second.is_expandable) return bytes;
  const auto next = blocks.upper_bound(address);
  const std::uint64_t end =
      next == blocks.end() ? segment->second.end : std::min(segment->second.end, next->first);
  if (end - address <= bytes) return bytes;
  const std::uint64_t rest = end - address - bytes;
  const bool is_split = bytes <= kSmallSize || settings_.expandable_segments
                            ? rest >= kUnit
                            : bytes < settings_.max_split_bytes && rest > kSmallSize;
  return is_split ? bytes : bytes + rest;
}

}  // namespace strata::snapshot
