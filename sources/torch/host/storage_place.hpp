// SPDX-License-Identifier: Apache-2.0
// The location of a tensor's storage, in the form used by events.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>

#include "strata/events.h"

namespace strata::torch_source {

// The address of its first byte; the tensor must have a storage.
inline std::uint64_t storage_address(const at::Tensor& tensor) {
  return reinterpret_cast<std::uint64_t>(tensor.storage().data());
}

// A CUDA device, or the CPU.
inline strata_device reported_device(c10::Device device) {
  if (!device.is_cuda()) return {.type = STRATA_DEVICE_CPU, .index = 0};
  return {.type = STRATA_DEVICE_CUDA, .index = device.index()};
}

}  // namespace strata::torch_source
