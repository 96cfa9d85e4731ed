// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/memory/host_memory.hpp"

#include <cstdlib>
#include <iterator>

namespace strata::dry_gpu {
namespace {

constexpr std::uint64_t kHostPageBytes = 4096;

}  // namespace

void* HostMemory::allocate(std::uint64_t bytes, int device, unsigned flags, bool managed) {
  const std::uint64_t whole = (bytes + kHostPageBytes - 1) / kHostPageBytes * kHostPageBytes;
  if (whole < bytes) return nullptr;
  void* const memory = std::aligned_alloc(kHostPageBytes, whole);
  if (memory == nullptr) return nullptr;
  const auto address = address_of(memory);
  const std::scoped_lock lock(mutex_);
  blocks_.emplace(address, Block{address, bytes, device, flags, false, managed});
  bytes_ += bytes;
  return memory;
}

bool HostMemory::free(Address address) {
  {
    const std::scoped_lock lock(mutex_);
    const auto block = blocks_.find(address);
    if (block == blocks_.end() || block->second.registered) return false;
    bytes_ -= block->second.bytes;
    blocks_.erase(block);
  }
  std::free(reinterpret_cast<void*>(address));  // NOLINT(performance-no-int-to-ptr)
  return true;
}

HostMemory::Registration HostMemory::add(Address address, std::uint64_t bytes, int device, unsigned flags) {
  if (address == 0 || bytes == 0 || address + bytes < address) return Registration::kInvalid;
  const std::scoped_lock lock(mutex_);
  const auto after = blocks_.lower_bound(address);
  const bool meets_next = after != blocks_.end() && after->first - address < bytes;
  const bool meets_last =
      after != blocks_.begin() && address - std::prev(after)->first < std::prev(after)->second.bytes;
  if (meets_next || meets_last) return Registration::kTaken;
  blocks_.emplace(address, Block{address, bytes, device, flags, true, false});
  bytes_ += bytes;
  return Registration::kDone;
}

bool HostMemory::remove(Address address) {
  const std::scoped_lock lock(mutex_);
  const auto block = blocks_.find(address);
  if (block == blocks_.end() || !block->second.registered) return false;
  bytes_ -= block->second.bytes;
  blocks_.erase(block);
  return true;
}

std::optional<HostMemory::Block> HostMemory::find(Address address) const {
  const std::scoped_lock lock(mutex_);
  const auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return std::nullopt;
  const Block& block = std::prev(after)->second;
  if (address - block.address >= block.bytes) return std::nullopt;
  return block;
}

std::uint64_t HostMemory::bytes() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

}  // namespace strata::dry_gpu
