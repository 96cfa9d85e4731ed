// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/memory/device_memory.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace strata::dry_gpu {
namespace {

constexpr std::uint64_t rounded(std::uint64_t bytes) {
  if (bytes <= kPageBytes / 2) return std::max(std::bit_ceil(bytes), kSmallestBytes);
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

constexpr Address page_of(Address address) {
  return address / kPageBytes * kPageBytes;
}

}  // namespace

DeviceMemory::DeviceMemory(Address base, std::uint64_t span_bytes, std::uint64_t total_bytes)
    : end_(base + span_bytes), next_(base), use_{total_bytes, 0, 0} {}

std::optional<Address> DeviceMemory::allocate(std::uint64_t bytes) {
  if (bytes == 0 || bytes > end_) return std::nullopt;
  const std::uint64_t taken = rounded(bytes);
  const std::scoped_lock lock(mutex_);
  const std::optional<Address> address = taken < kPageBytes ? allocate_piece(taken) : allocate_pages(taken);
  if (address) live_.emplace(*address, taken);
  return address;
}

bool DeviceMemory::free(Address address) {
  const std::scoped_lock lock(mutex_);
  const auto place = live_.find(address);
  if (place == live_.end()) return false;
  const std::uint64_t bytes = place->second;
  live_.erase(place);
  if (bytes < kPageBytes) {
    free_piece(page_of(address), address);
  } else {
    free_[bytes].push_back(address);
    use_.used_bytes -= bytes;
  }
  return true;
}

std::optional<Allocation> DeviceMemory::find(Address address) const {
  const std::scoped_lock lock(mutex_);
  const auto after = live_.upper_bound(address);
  if (after == live_.begin()) return std::nullopt;
  const auto [begin, bytes] = *std::prev(after);
  if (address - begin >= bytes) return std::nullopt;
  return Allocation{begin, bytes};
}

bool DeviceMemory::take(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  return take_locked(bytes);
}

void DeviceMemory::give_back(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  use_.used_bytes -= bytes;
}

MemoryUse DeviceMemory::use() const {
  const std::scoped_lock lock(mutex_);
  return use_;
}

bool DeviceMemory::take_locked(std::uint64_t bytes) {
  if (bytes > use_.total_bytes - use_.used_bytes) return false;
  use_.used_bytes += bytes;
  use_.peak_bytes = std::max(use_.peak_bytes, use_.used_bytes);
  return true;
}

std::optional<Address> DeviceMemory::allocate_pages(std::uint64_t bytes) {
  if (!take_locked(bytes)) return std::nullopt;
  std::vector<Address>& same_size = free_[bytes];
  if (!same_size.empty()) {
    const Address address = same_size.back();
    same_size.pop_back();
    return address;
  }
  if (bytes <= end_ - next_) {
    const Address address = next_;
    next_ += bytes;
    return address;
  }
  const std::optional<Address> address = cut_from_joined(bytes);
  if (!address) use_.used_bytes -= bytes;
  return address;
}

// The last resort, for spans that are hardly larger than their memory: joins free neighbours, and cuts the
// smallest range that is large enough.
std::optional<Address> DeviceMemory::cut_from_joined(std::uint64_t bytes) {
  std::map<Address, std::uint64_t> ranges;
  for (const auto& [size, addresses] : free_) {
    for (const Address address : addresses) ranges.emplace(address, size);
  }
  for (auto range = ranges.begin(); range != ranges.end();) {
    const auto next = std::next(range);
    if (next != ranges.end() && range->first + range->second == next->first) {
      range->second += next->second;
      ranges.erase(next);
    } else {
      range = next;
    }
  }
  auto best = ranges.end();
  for (auto range = ranges.begin(); range != ranges.end(); ++range) {
    if (range->second >= bytes && (best == ranges.end() || range->second < best->second)) best = range;
  }
  std::optional<Address> address;
  if (best != ranges.end()) {
    address = best->first;
    if (best->second > bytes) ranges.emplace(best->first + bytes, best->second - bytes);
    ranges.erase(best);
  }
  free_.clear();
  for (const auto& [begin, size] : ranges) free_[size].push_back(begin);
  return address;
}

std::optional<Address> DeviceMemory::allocate_piece(std::uint64_t bytes) {
  auto& with_room = with_room_[bytes];
  if (with_room.empty()) {
    const std::optional<Address> page = allocate_pages(kPageBytes);
    if (!page) return std::nullopt;
    SharedPage& shared = shared_.emplace(*page, SharedPage{bytes, {}}).first->second;
    for (Address piece = *page + kPageBytes; piece > *page; piece -= bytes)
      shared.free.push_back(piece - bytes);
    with_room.emplace(*page, &shared);
  }
  const auto [page, shared] = *with_room.begin();
  const Address piece = shared->free.back();
  shared->free.pop_back();
  if (shared->free.empty()) with_room.erase(page);
  return piece;
}

void DeviceMemory::free_piece(Address page, Address piece) {
  SharedPage& shared = shared_.at(page);
  auto& with_room = with_room_[shared.piece_bytes];
  shared.free.push_back(piece);
  if (shared.free.size() < kPageBytes / shared.piece_bytes) {
    with_room.emplace(page, &shared);
    return;
  }
  with_room.erase(page);
  shared_.erase(page);
  free_[kPageBytes].push_back(page);
  use_.used_bytes -= kPageBytes;
}

}  // namespace strata::dry_gpu
