// SPDX-License-Identifier: Apache-2.0
// Reads of unknown values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dry_gpu/device/machine.hpp"

namespace strata::dry_gpu {

// Fills `target`, on the host, for a read of unknown device values: with the user's answer for this reader;
// with the count that the thread expects; with yes, if it is a condition assumed to be met; otherwise with
// zeros. Each is counted.
void read_unknown(Machine& machine, std::span<std::byte> target);

// The same for a read with `bytes` unknown bytes: `target` already has zeros for them.
void count_unknown_read(Machine& machine, std::uint64_t bytes);

}  // namespace strata::dry_gpu
