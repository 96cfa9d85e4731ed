// SPDX-License-Identifier: Apache-2.0
// Addresses for all device memory, where host memory never is: a pointer identifies its device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace strata::dry_gpu {

using Address = std::uintptr_t;

inline Address address_of(const void* pointer) {
  return reinterpret_cast<Address>(pointer);
}

// One span per device, then one for the ranges that programs reserve to map memory into.
class AddressSpace {
 public:
  // The same addresses in every run, if nothing else occupies them. They are reserved, so that the host's own
  // memory stays out of them. If a limit (ulimit -v) or a sanitizer prevents that, they are used
  // nevertheless: nothing is ever read or written there, and the operating system has 80 TiB above them
  // before it would have to use them. If there are too many devices for spans of `span_bytes`, the spans are
  // smaller.
  AddressSpace(std::uint32_t devices, std::uint64_t span_bytes);
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  Address span_of(std::uint32_t device) const { return base_ + device * span_bytes_; }
  std::uint64_t span_bytes() const { return span_bytes_; }
  Address reservable() const { return span_of(devices_); }
  std::uint64_t reservable_bytes() const { return span_bytes_ * devices_; }

  // The device whose span contains the address.
  std::optional<int> device_of(Address address) const {
    if (address < base_ || address >= reservable()) return std::nullopt;
    return static_cast<int>((address - base_) / span_bytes_);
  }
  bool is_reservable(Address address) const {
    return address >= reservable() && address - reservable() < reservable_bytes();
  }

 private:
  Address base_;
  std::uint64_t span_bytes_;
  std::uint32_t devices_;
};

}  // namespace strata::dry_gpu
