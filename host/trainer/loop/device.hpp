// SPDX-License-Identifier: Apache-2.0
// The device that a run computes on, as torch names it.
#pragma once

#include <c10/core/Device.h>

#include "host/config/run_config.hpp"

namespace strata::trainer {

inline c10::Device torch_device(const config::DeviceConfig& device) {
  if (device.kind == config::DeviceKind::kCpu) return c10::Device(c10::kCPU);
  return {c10::kCUDA, static_cast<c10::DeviceIndex>(device.index)};
}

}  // namespace strata::trainer
