// SPDX-License-Identifier: Apache-2.0
// Reads of what nobody knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dry_gpu/device/machine.hpp"

namespace strata::dry_gpu {

// `target` on the host is to get one read's values from a device, none of which is known: it gets the user's
// answer for whoever reads, or yes, where it is a condition that is taken to be met, or else zeros; each is
// counted.
void read_unknown(Machine& machine, std::span<std::byte> target);

// The same for a read of which `bytes` are unknown: the host has its zeros already.
void count_unknown_read(Machine& machine, std::uint64_t bytes);

}  // namespace strata::dry_gpu
