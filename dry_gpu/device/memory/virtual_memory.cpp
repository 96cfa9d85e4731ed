// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/memory/virtual_memory.hpp"

#include <iterator>

#include "dry_gpu/device/memory/device_memory.hpp"

namespace strata::dry_gpu {
namespace {

// Whether `bytes` from `address` overlap no entry of a map of ranges.
template <typename Ranges, typename Size>
bool is_free(const Ranges& ranges, Address address, std::uint64_t bytes, Size size_of) {
  const auto after = ranges.lower_bound(address);
  if (after != ranges.end() && after->first - address < bytes) return false;
  if (after == ranges.begin()) return true;
  const auto before = std::prev(after);
  return before->first + size_of(before->second) <= address;
}

}  // namespace

VirtualMemory::VirtualMemory(const AddressSpace& addresses, PageOwner& owner)
    : begin_(addresses.reservable()), end_(begin_ + addresses.reservable_bytes()), owner_(owner) {}

VirtualMemory::Handle VirtualMemory::create(int device, std::uint64_t bytes) {
  return add({.device = device, .bytes = bytes, .references = 1});
}

VirtualMemory::Handle VirtualMemory::import(int device, std::uint64_t bytes) {
  return add({.device = device, .bytes = bytes, .references = 1, .is_imported = true});
}

VirtualMemory::Handle VirtualMemory::add(const PhysicalMemory& memory) {
  const std::scoped_lock lock(mutex_);
  memory_.emplace(++last_handle_, memory);
  return last_handle_;
}

VirtualMemory::Outcome VirtualMemory::release(Handle handle) {
  const std::scoped_lock lock(mutex_);
  if (!memory_.contains(handle)) return Outcome::kInvalid;
  drop_reference(handle);
  return Outcome::kDone;
}

std::optional<Address> VirtualMemory::reserve(std::uint64_t bytes, Address wanted) {
  if (bytes == 0 || bytes % kPageBytes != 0) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  const auto itself = [](std::uint64_t size) { return size; };
  const auto fits = [&](Address address) {
    return bytes <= end_ - address && is_free(reserved_, address, bytes, itself);
  };
  if (wanted >= begin_ && wanted < end_ && wanted % kPageBytes == 0 && fits(wanted)) {
    reserved_.emplace(wanted, bytes);
    return wanted;
  }
  Address address = begin_;
  for (const auto& [taken, size] : reserved_) {
    if (taken - address >= bytes) break;
    address = taken + size;
  }
  if (bytes > end_ - address) return std::nullopt;
  reserved_.emplace(address, bytes);
  return address;
}

VirtualMemory::Outcome VirtualMemory::unreserve(Address address, std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  const auto range = reserved_.find(address);
  if (range == reserved_.end() || range->second != bytes || overlaps_mapping(address, bytes))
    return Outcome::kInvalid;
  reserved_.erase(range);
  return Outcome::kDone;
}

VirtualMemory::Outcome VirtualMemory::map(Address address, std::uint64_t bytes, Handle handle) {
  const std::scoped_lock lock(mutex_);
  const auto memory = memory_.find(handle);
  if (memory == memory_.end() || memory->second.bytes != bytes || !is_reserved(address, bytes))
    return Outcome::kInvalid;
  if (overlaps_mapping(address, bytes)) return Outcome::kAddressesTaken;
  mapped_.emplace(address, Mapped{bytes, handle});
  ++memory->second.references;
  ++memory->second.mappings;
  return Outcome::kDone;
}

VirtualMemory::Outcome VirtualMemory::unmap(Address address, std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  const auto first = mapped_.lower_bound(address);
  const auto last = mapped_.lower_bound(address + bytes);
  if (first == last ||
      (last != mapped_.begin() && std::prev(last)->first + std::prev(last)->second.bytes > address + bytes))
    return Outcome::kInvalid;
  if (first != mapped_.begin() && std::prev(first)->first + std::prev(first)->second.bytes > address)
    return Outcome::kInvalid;
  for (auto mapping = first; mapping != last; ++mapping) {
    --memory_.at(mapping->second.handle).mappings;
    drop_reference(mapping->second.handle);
  }
  mapped_.erase(first, last);
  return Outcome::kDone;
}

std::optional<VirtualMemory::Mapping> VirtualMemory::find(Address address) const {
  const std::scoped_lock lock(mutex_);
  return find_locked(address);
}

std::optional<VirtualMemory::Mapping> VirtualMemory::find_locked(Address address) const {
  const auto after = mapped_.upper_bound(address);
  if (after == mapped_.begin()) return std::nullopt;
  const auto& [begin, mapped] = *std::prev(after);
  if (address - begin >= mapped.bytes) return std::nullopt;
  return Mapping{begin, mapped.bytes, memory_.at(mapped.handle).device, mapped.handle};
}

std::optional<VirtualMemory::Handle> VirtualMemory::retain(Address address) {
  const std::scoped_lock lock(mutex_);
  const std::optional<Mapping> mapping = find_locked(address);
  if (!mapping) return std::nullopt;
  ++memory_.at(mapping->handle).references;
  return mapping->handle;
}

std::optional<PhysicalMemory> VirtualMemory::memory(Handle handle) const {
  const std::scoped_lock lock(mutex_);
  const auto memory = memory_.find(handle);
  if (memory == memory_.end()) return std::nullopt;
  return memory->second;
}

bool VirtualMemory::is_reserved(Address address, std::uint64_t bytes) const {
  const auto after = reserved_.upper_bound(address);
  if (after == reserved_.begin()) return false;
  const auto& [begin, size] = *std::prev(after);
  return bytes <= size && address - begin <= size - bytes;
}

bool VirtualMemory::overlaps_mapping(Address address, std::uint64_t bytes) const {
  return !is_free(mapped_, address, bytes, [](const Mapped& mapped) { return mapped.bytes; });
}

void VirtualMemory::drop_reference(Handle handle) {
  const auto memory = memory_.find(handle);
  if (--memory->second.references > 0) return;
  if (!memory->second.is_imported) owner_.freed(memory->second.device, memory->second.bytes);
  memory_.erase(memory);
}

}  // namespace strata::dry_gpu
