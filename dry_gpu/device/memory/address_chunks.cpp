// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/memory/address_chunks.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>

namespace strata::dry_gpu {
namespace {

constexpr std::uint64_t whole_chunks(std::uint64_t bytes) {
  return (bytes + kChunkBytes - 1) / kChunkBytes * kChunkBytes;
}

}  // namespace

AddressChunks::AddressChunks(Address base, std::uint64_t span_bytes) : gaps_{{base, span_bytes}} {}

std::optional<Address> AddressChunks::allocate(std::uint64_t bytes) {
  Number number = latest_with(bytes);
  if (number == 0) number = reserve(bytes);
  if (number == 0) return std::nullopt;
  Address given = 0;
  change(number, [&](Chunk& chunk) {
    const auto [hole_bytes, address] = *chunk.by_size.lower_bound({bytes, 0});
    remove_hole(chunk, address);
    if (hole_bytes > bytes) add_hole(chunk, address + bytes, hole_bytes - bytes);
    given = address;
  });
  return given;
}

void AddressChunks::free(Address address, std::uint64_t bytes) {
  const auto place = std::prev(numbers_.upper_bound(address));
  change(place->second, [&](Chunk& chunk) {
    Address begin = address;
    Address end = address + bytes;
    const auto after = chunk.holes.lower_bound(address);
    if (after != chunk.holes.begin()) {
      const auto before = std::prev(after);
      if (before->first + before->second == address) begin = before->first;
    }
    if (after != chunk.holes.end() && after->first == end) {
      end += after->second;
      remove_hole(chunk, address + bytes);
    }
    if (begin < address) remove_hole(chunk, begin);
    add_hole(chunk, begin, end - begin);
  });
  const Chunk& chunk = chunks_.at(place->second);
  if (!chunk.lasts && largest_hole(chunk) == chunk.bytes) give_back(place);
}

void AddressChunks::add_lasting(std::uint64_t free_bytes) {
  const std::uint64_t bytes = whole_chunks(free_bytes + 1);
  const std::optional<Address> begin = take_from_gap(bytes, bytes);
  if (!begin) return;
  change(add_chunk(*begin, bytes, true), [&](Chunk& chunk) {
    remove_hole(chunk, *begin);
    if (free_bytes > 0) add_hole(chunk, *begin + (bytes - free_bytes), free_bytes);
  });
}

void AddressChunks::add_hole(Chunk& chunk, Address address, std::uint64_t bytes) {
  chunk.holes.emplace(address, bytes);
  chunk.by_size.emplace(bytes, address);
}

void AddressChunks::remove_hole(Chunk& chunk, Address address) {
  const auto hole = chunk.holes.find(address);
  chunk.by_size.erase({hole->second, address});
  chunk.holes.erase(hole);
}

std::uint64_t AddressChunks::largest_hole(const Chunk& chunk) {
  return chunk.by_size.empty() ? 0 : chunk.by_size.rbegin()->first;
}

// The driver does not use a gap that is exactly as large as the chunk, because it needs space for alignment.
// Here it is used if nothing else is left, as is one without space for whole 32 MiB. 0 if there is none.
AddressChunks::Number AddressChunks::reserve(std::uint64_t bytes) {
  const std::uint64_t whole = whole_chunks(bytes);
  if (const auto begin = take_from_gap(whole, whole + kChunkBytes)) return add_chunk(*begin, whole, false);
  if (const auto begin = take_from_gap(whole, whole)) return add_chunk(*begin, whole, false);
  if (const auto begin = take_from_gap(bytes, bytes)) return add_chunk(*begin, bytes, false);
  return 0;
}

// The upper end of the highest gap that has `wanted` bytes.
std::optional<Address> AddressChunks::take_from_gap(std::uint64_t bytes, std::uint64_t wanted) {
  const auto gap =
      std::find_if(gaps_.rbegin(), gaps_.rend(), [&](const auto& each) { return each.second >= wanted; });
  if (gap == gaps_.rend()) return std::nullopt;
  gap->second -= bytes;
  const Address begin = gap->first + gap->second;
  if (gap->second == 0) gaps_.erase(gap->first);
  return begin;
}

AddressChunks::Number AddressChunks::add_chunk(Address begin, std::uint64_t bytes, bool lasts) {
  const Number number = ++last_number_;
  chunks_.emplace(number, Chunk{begin, bytes, lasts});
  numbers_.emplace(begin, number);
  change(number, [&](Chunk& chunk) { add_hole(chunk, begin, bytes); });
  return number;
}

// Its addresses become a gap, which takes its neighbours in.
void AddressChunks::give_back(std::map<Address, Number>::iterator place) {
  const Number number = place->second;
  Address begin = place->first;
  Address end = begin + chunks_.at(number).bytes;
  change(number, [&](Chunk& chunk) { remove_hole(chunk, begin); });
  chunks_.erase(number);
  numbers_.erase(place);
  const auto above = gaps_.find(end);
  if (above != gaps_.end()) {
    end += above->second;
    gaps_.erase(above);
  }
  const auto after = gaps_.lower_bound(begin);
  if (after != gaps_.begin()) {
    const auto below = std::prev(after);
    if (below->first + below->second == begin) begin = below->first;
  }
  gaps_[begin] = end - begin;
}

// 0: none has such a hole.
AddressChunks::Number AddressChunks::latest_with(std::uint64_t bytes) const {
  const auto own = static_cast<std::size_t>(std::bit_width(bytes));
  Number latest = 0;
  for (std::size_t bits = own; bits < with_hole_.size(); ++bits) {
    const auto& numbers = with_hole_.at(bits);
    for (auto number = numbers.rbegin(); number != numbers.rend() && *number > latest; ++number) {
      if (bits > own || largest_hole(chunks_.at(*number)) >= bytes) latest = *number;
    }
  }
  return latest;
}

template <typename Change>
void AddressChunks::change(Number number, Change&& change) {
  Chunk& chunk = chunks_.at(number);
  const auto before = static_cast<std::size_t>(std::bit_width(largest_hole(chunk)));
  change(chunk);
  const auto after = static_cast<std::size_t>(std::bit_width(largest_hole(chunk)));
  if (before == after) return;
  if (before > 0) with_hole_.at(before).erase(number);
  if (after > 0) with_hole_.at(after).insert(number);
}

}  // namespace strata::dry_gpu
