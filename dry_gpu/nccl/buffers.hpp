// SPDX-License-Identifier: Apache-2.0
// Which memory a communicator's transfers take.
#pragma once

#include <cstdint>

#include "dry_gpu/device/machine.hpp"

namespace strata::dry_gpu {

// Whether a buffer of at least one byte begins and ends in that device's memory.
bool is_of_device(const Machine& machine, int device, const void* buffer, std::uint64_t bytes);

}  // namespace strata::dry_gpu
