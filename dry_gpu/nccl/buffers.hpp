// SPDX-License-Identifier: Apache-2.0
// Checks the memory that a communicator's transfers may use.
#pragma once

#include <cstdint>

#include "dry_gpu/device/machine.hpp"

namespace strata::dry_gpu {

// Whether a buffer of at least one byte lies in that device's memory, from begin to end.
bool is_of_device(const Machine& machine, int device, const void* buffer, std::uint64_t bytes);

}  // namespace strata::dry_gpu
