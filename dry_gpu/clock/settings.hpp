// SPDX-License-Identifier: Apache-2.0
// What the modelled clock is told: whether there is one, and the numbers of its model that are not a
// device's.
#pragma once

#include <cstdint>

namespace strata::dry_gpu {

enum class ClockKind { kNone, kModelled };

// None of these was measured: they are round numbers, the same for every device.
struct ClockSettings {
  ClockKind kind = ClockKind::kNone;
  // Of the peak rates that a large matrix product, and a kernel that streams memory, reach.
  std::uint32_t compute_percent = 70;
  std::uint32_t memory_percent = 80;
  std::uint64_t launch_ns = 2000;  // between the beginning of a kernel and its first byte or operation
  // What the program does on the host between two calls that concern a stream, those calls included.
  std::uint64_t host_call_ns = 5000;
  // Over PCIe, one direction: 16 lanes of generation 4, 16 GT/s each, 128 bits in 130.
  double host_gb_per_s = 31.5;
  double peer_gb_per_s = 31.5;
};

}  // namespace strata::dry_gpu
