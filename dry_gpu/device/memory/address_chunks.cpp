// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/memory/address_chunks.hpp"

#include <algorithm>
#include <iterator>

namespace strata::dry_gpu {
namespace {

constexpr std::uint64_t whole_chunks(std::uint64_t bytes) {
  return (bytes + kChunkBytes - 1) / kChunkBytes * kChunkBytes;
}

}  // namespace

AddressChunks::AddressChunks(Address base, std::uint64_t span_bytes) : gaps_{{base, span_bytes}} {}

std::optional<Address> AddressChunks::allocate(std::uint64_t bytes) {
  const auto latest = std::find_if(largest_.rbegin(), largest_.rend(),
                                   [&](const Largest& each) { return each.bytes >= bytes; });
  if (latest != largest_.rend()) return cut(*latest, bytes);
  if (!reserve(bytes)) return std::nullopt;
  return cut(largest_.back(), bytes);
}

void AddressChunks::free(Address address, std::uint64_t bytes) {
  const auto at = std::prev(numbers_.upper_bound(address));
  const auto largest = find(at->second);
  Chunk& chunk = chunks_.at(at->second);
  Address begin = address;
  std::uint64_t size = bytes;
  const auto after = chunk.holes.lower_bound(address);
  if (after != chunk.holes.end() && after->first == address + bytes) size += after->second;
  if (after != chunk.holes.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == address) {
      begin = before->first;
      size += before->second;
    }
  }
  if (size > bytes) {
    if (begin < address) remove_hole(chunk, begin);
    if (begin + size > address + bytes) remove_hole(chunk, address + bytes);
  }
  if (size < chunk.bytes || chunk.lasts) {
    add_hole(chunk, begin, size);
    largest->bytes = largest_hole(chunk);
    return;
  }
  // The gap takes its neighbours in.
  Address gap = chunk.begin;
  std::uint64_t gap_bytes = chunk.bytes;
  largest_.erase(largest);
  chunks_.erase(at->second);
  numbers_.erase(at);
  const auto above = gaps_.lower_bound(gap);
  if (above != gaps_.begin()) {
    const auto below = std::prev(above);
    if (below->first + below->second == gap) {
      gap = below->first;
      gap_bytes += below->second;
    }
  }
  if (above != gaps_.end() && above->first == gap + gap_bytes) {
    gap_bytes += above->second;
    gaps_.erase(above);
  }
  gaps_[gap] = gap_bytes;
}

void AddressChunks::add_lasting(std::uint64_t free_bytes) {
  const std::uint64_t bytes = whole_chunks(free_bytes + 1);
  const std::optional<Address> begin = take_from_gap(bytes, bytes);
  if (!begin) return;
  Chunk& chunk = add_chunk(*begin, bytes, true);
  remove_hole(chunk, *begin);
  if (free_bytes > 0) add_hole(chunk, *begin + (bytes - free_bytes), free_bytes);
  largest_.back().bytes = free_bytes;
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

// A gap that is just as large as the chunk is not used by the driver, which makes room to align it. Where
// nothing else is left it is used here, and so is one that has no room for whole 32 MiB.
bool AddressChunks::reserve(std::uint64_t bytes) {
  const std::uint64_t whole = whole_chunks(bytes);
  std::uint64_t reserved = whole;
  std::optional<Address> begin = take_from_gap(whole, whole + kChunkBytes);
  if (!begin) begin = take_from_gap(whole, whole);
  if (!begin) {
    reserved = bytes;
    begin = take_from_gap(bytes, bytes);
  }
  if (begin) add_chunk(*begin, reserved, false);
  return begin.has_value();
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

AddressChunks::Chunk& AddressChunks::add_chunk(Address begin, std::uint64_t bytes, bool lasts) {
  const Number number = ++last_number_;
  Chunk& chunk = chunks_.emplace(number, Chunk{begin, bytes, lasts}).first->second;
  add_hole(chunk, begin, bytes);
  numbers_.emplace(begin, number);
  largest_.push_back({number, bytes});
  return chunk;
}

Address AddressChunks::cut(Largest& from, std::uint64_t bytes) {
  Chunk& chunk = chunks_.at(from.number);
  const auto [hole_bytes, address] = *chunk.by_size.lower_bound({bytes, 0});
  remove_hole(chunk, address);
  if (hole_bytes > bytes) add_hole(chunk, address + bytes, hole_bytes - bytes);
  from.bytes = largest_hole(chunk);
  return address;
}

std::vector<AddressChunks::Largest>::iterator AddressChunks::find(Number number) {
  return std::lower_bound(largest_.begin(), largest_.end(), number,
                          [](const Largest& each, Number wanted) { return each.number < wanted; });
}

}  // namespace strata::dry_gpu
