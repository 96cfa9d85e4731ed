// SPDX-License-Identifier: Apache-2.0
// The numbers that programs query from a device, by CUDA's attribute: runtime and driver have the same
// enumeration.
#pragma once

#include <optional>

#include "dry_gpu/cuda_api.hpp"
#include "dry_gpu/device/profile/profile.hpp"

namespace strata::dry_gpu {

// Empty if CUDA or this device does not have the attribute.
std::optional<int> attribute(const DeviceProfile& profile, int device, CUdevice_attribute attribute);

// All properties, as from cudaGetDeviceProperties.
cudaDeviceProp properties(const DeviceProfile& profile, int device);

// As if each device were on its own bus: the 1 in "0000:01:00.0".
int pci_bus(int device);

// Sixteen bytes that differ by device and identify it as simulated.
CUuuid uuid(int device);

}  // namespace strata::dry_gpu
