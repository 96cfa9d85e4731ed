// SPDX-License-Identifier: Apache-2.0
// The numbers that programs ask of a device, by CUDA's attribute: the runtime's and the driver's enumerations
// are the same.
#pragma once

#include <optional>

#include "dry_gpu/cuda_api.hpp"
#include "dry_gpu/device/profile/profile.hpp"

namespace strata::dry_gpu {

// Nothing: CUDA knows no such attribute, or this device does not.
std::optional<int> attribute(const DeviceProfile& profile, int device, CUdevice_attribute attribute);

// Everything at once, as cudaGetDeviceProperties gives it.
cudaDeviceProp properties(const DeviceProfile& profile, int device);

// As if each device sat on a bus of its own: the 1 of "0000:01:00.0".
int pci_bus(int device);

// Sixteen bytes that differ by device, and say what they are.
CUuuid uuid(int device);

}  // namespace strata::dry_gpu
