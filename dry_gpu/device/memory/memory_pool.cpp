// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/memory/memory_pool.hpp"

#include <algorithm>

namespace strata::dry_gpu {
namespace {

constexpr std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

constexpr std::uint64_t whole_units(std::uint64_t bytes) {
  return (bytes + kSmallestBytes - 1) / kSmallestBytes * kSmallestBytes;
}

}  // namespace

MemoryPool::MemoryPool(Address base, std::uint64_t span_bytes, DeviceMemory& device)
    : addresses_(base, span_bytes, span_bytes), device_(device) {}

std::optional<Address> MemoryPool::allocate(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  const std::uint64_t taken = whole_units(bytes);
  const std::uint64_t used = use_.used_bytes + taken;
  const std::uint64_t reserved = std::max(use_.reserved_bytes, whole_pages(used));
  if (!device_.take(reserved - use_.reserved_bytes)) return std::nullopt;
  const std::optional<Address> address = addresses_.allocate(bytes);
  if (!address) {
    device_.give_back(reserved - use_.reserved_bytes);
    return std::nullopt;
  }
  sizes_.emplace(*address, taken);
  use_.used_bytes = used;
  use_.used_high = std::max(use_.used_high, used);
  use_.reserved_bytes = reserved;
  use_.reserved_high = std::max(use_.reserved_high, reserved);
  return address;
}

bool MemoryPool::free(Address address) {
  const std::scoped_lock lock(mutex_);
  const auto size = sizes_.find(address);
  if (size == sizes_.end()) return false;
  addresses_.free(address);
  use_.used_bytes -= size->second;
  sizes_.erase(size);
  trim_locked(threshold_);
  return true;
}

void MemoryPool::trim(std::uint64_t kept_bytes) {
  const std::scoped_lock lock(mutex_);
  trim_locked(kept_bytes);
}

void MemoryPool::trim_locked(std::uint64_t kept_bytes) {
  const std::uint64_t kept =
      whole_pages(std::max(use_.used_bytes, std::min(kept_bytes, use_.reserved_bytes)));
  if (kept >= use_.reserved_bytes) return;
  device_.give_back(use_.reserved_bytes - kept);
  use_.reserved_bytes = kept;
}

void MemoryPool::set_release_threshold(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  threshold_ = bytes;
}

std::uint64_t MemoryPool::release_threshold() const {
  const std::scoped_lock lock(mutex_);
  return threshold_;
}

PoolUse MemoryPool::use() const {
  const std::scoped_lock lock(mutex_);
  return use_;
}

void MemoryPool::reset_used_high() {
  const std::scoped_lock lock(mutex_);
  use_.used_high = use_.used_bytes;
}

void MemoryPool::reset_reserved_high() {
  const std::scoped_lock lock(mutex_);
  use_.reserved_high = use_.reserved_bytes;
}

}  // namespace strata::dry_gpu
