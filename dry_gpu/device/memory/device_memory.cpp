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
    : span_bytes_(span_bytes), chunks_(base, span_bytes), use_{total_bytes, 0, 0} {}

std::optional<Address> DeviceMemory::allocate(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  const std::optional<Address> address = allocate_locked(bytes);
  count_call();
  return address;
}

std::optional<Address> DeviceMemory::allocate_locked(std::uint64_t bytes) {
  if (bytes == 0 || bytes > span_bytes_) return std::nullopt;
  const std::uint64_t taken = rounded(bytes);
  const std::optional<Address> address = taken < kPageBytes ? allocate_piece(taken) : allocate_pages(taken);
  if (address) live_.emplace(*address, taken);
  return address;
}

bool DeviceMemory::free(Address address) {
  const std::scoped_lock lock(mutex_);
  const bool was_there = free_locked(address);
  if (was_there) count_call();
  return was_there;
}

bool DeviceMemory::free_locked(Address address) {
  const auto place = live_.find(address);
  if (place == live_.end()) return false;
  const std::uint64_t bytes = place->second;
  live_.erase(place);
  if (bytes < kPageBytes) {
    free_piece(page_of(address), address);
  } else {
    chunks_.free(address, bytes);
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
  const bool had_room = take_locked(bytes);
  count_call();
  return had_room;
}

void DeviceMemory::give_back(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  use_.used_bytes -= bytes;
  count_call();
}

bool DeviceMemory::take_part(std::uint64_t bytes, std::uint64_t free_addresses) {
  const std::scoped_lock lock(mutex_);
  return take_part_locked(bytes, free_addresses);
}

void DeviceMemory::give_back_part(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  use_.used_bytes -= bytes;
}

std::uint64_t DeviceMemory::calls() const {
  const std::scoped_lock lock(mutex_);
  return calls_;
}

void DeviceMemory::take_part_after(std::uint64_t calls, std::uint64_t bytes, std::uint64_t free_addresses) {
  const std::scoped_lock lock(mutex_);
  if (calls == 0) {
    take_part_locked(bytes, free_addresses);
  } else {
    later_parts_.emplace(calls, LaterPart{bytes, free_addresses});
  }
}

void DeviceMemory::count_call() {
  ++calls_;
  while (!later_parts_.empty() && later_parts_.begin()->first <= calls_) {
    const LaterPart part = later_parts_.begin()->second;
    later_parts_.erase(later_parts_.begin());
    take_part_locked(part.bytes, part.free_addresses);
  }
}

bool DeviceMemory::take_part_locked(std::uint64_t bytes, std::uint64_t free_addresses) {
  if (!take_locked(bytes)) return false;
  if (free_addresses > 0) chunks_.add_lasting(free_addresses);
  return true;
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
  const std::optional<Address> address = chunks_.allocate(bytes);
  if (!address) use_.used_bytes -= bytes;
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
  chunks_.free(page, kPageBytes);
  use_.used_bytes -= kPageBytes;
}

}  // namespace strata::dry_gpu
