// SPDX-License-Identifier: Apache-2.0
// Managed memory, which has one address for the host and all devices.
#pragma once

#include <cstddef>

#include "dry_gpu/cuda_api.hpp"
#include "dry_gpu/device/machine.hpp"

namespace strata::dry_gpu {

// cudaErrorInvalidValue: the range is not in managed memory. cudaErrorInvalidDevice: no device is there.
cudaError_t check_managed(Machine& machine, const void* pointer, std::size_t bytes,
                          const cudaMemLocation& location);

}  // namespace strata::dry_gpu
