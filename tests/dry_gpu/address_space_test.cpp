// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/memory/address_space.hpp"

#include <gtest/gtest.h>

namespace strata::dry_gpu {
namespace {

constexpr std::uint64_t kSpan = std::uint64_t{1} << 41;
constexpr std::uint32_t kMostDevices = 64;

bool is_of_a_device(const AddressSpace& addresses, Address address) {
  return addresses.device_of(address).has_value() || addresses.is_reservable(address);
}

// With spans of 2 TiB they would exceed the addressable range, and host memory would count as a device's.
TEST(AddressSpaceTest, AsManyDevicesAsThereMayBeLeaveTheHostItsMemory) {
  const AddressSpace addresses{kMostDevices, kSpan};
  const int on_the_stack = 0;
  EXPECT_FALSE(is_of_a_device(addresses, reinterpret_cast<Address>(&on_the_stack)));
  EXPECT_LE(addresses.reservable() + addresses.reservable_bytes(), Address{1} << 47);
  EXPECT_EQ(addresses.device_of(addresses.span_of(kMostDevices - 1)), static_cast<int>(kMostDevices - 1));
  EXPECT_GE(addresses.span_bytes() / 2, std::uint64_t{192} << 30) << "the memory of the largest card";
}

// Where a program is loaded, as this one: two spans of 16 TiB, one of memory and one of ranges, would end
// above it.
TEST(AddressSpaceTest, SpansEndBelowWhereProgramsAreLoaded) {
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 44;
  EXPECT_EQ((AddressSpace{1, kLarge}.span_bytes()), kLarge);
  const AddressSpace of_eight{8, kLarge};
  EXPECT_EQ(of_eight.span_bytes(), std::uint64_t{2} << 40);
  EXPECT_FALSE(is_of_a_device(of_eight, reinterpret_cast<Address>(&is_of_a_device)));
}

TEST(AddressSpaceTest, FewDevicesHaveTheSpansOfTheProfile) {
  EXPECT_EQ((AddressSpace{8, kSpan}.span_bytes()), kSpan);
}

}  // namespace
}  // namespace strata::dry_gpu
