// SPDX-License-Identifier: Apache-2.0
// The description that cuDNN accepts instead of a device: the JSON of its device-property descriptor.
#pragma once

#include <string>

#include "dry_gpu/device/profile/profile.hpp"

namespace strata::dry_gpu::real_cudnn {

// For the first device: all devices of a process are of one kind.
std::string device_text(const DeviceProfile& profile);

}  // namespace strata::dry_gpu::real_cudnn
