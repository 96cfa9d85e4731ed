// SPDX-License-Identifier: Apache-2.0
// Launch limits common to all devices of compute capability 7.0 to 12.0: CUDA C++ Programming Guide 13.0,
// section 20.1, "Features and Technical Specifications".
#pragma once

#include <cstdint>

#include "dry_gpu/device/profile/profile.hpp"

namespace strata::dry_gpu {

inline constexpr int kMostThreadsOfBlock = 1024;
inline constexpr int kMostBlockZ = 64;
inline constexpr int kMostGridX = 2147483647;
inline constexpr int kMostGridYZ = 65535;
inline constexpr int kWarp = 32;  // threads

// The part of a block's shared memory that the system reserves.
constexpr std::uint32_t reserved_shared_bytes(const DeviceProfile& profile) {
  return profile.compute_major >= 8 ? 1024 : 0;
}

}  // namespace strata::dry_gpu
