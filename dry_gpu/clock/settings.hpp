// SPDX-License-Identifier: Apache-2.0
// Settings of the modelled clock: whether there is one, and the numbers of its model that do not belong to a
// device.
#pragma once

#include <cstdint>

namespace strata::dry_gpu {

enum class ClockKind { kNone, kModelled };

// None of these were measured: they are round numbers, the same for every device.
struct ClockSettings {
  ClockKind kind = ClockKind::kNone;
  // The fraction of the peak rates reached by a large matrix product and by a kernel that streams memory.
  std::uint32_t compute_percent = 70;
  std::uint32_t memory_percent = 80;
  std::uint64_t launch_ns = 2000;  // between the begin of a kernel and its first byte or operation
  // The program's host time between two calls that concern a stream, including these calls.
  std::uint64_t host_call_ns = 5000;
  // PCIe, one direction: 16 lanes of generation 4, 16 GT/s each, 128 of 130 bits.
  double host_gb_per_s = 31.5;
  double peer_gb_per_s = 31.5;
};

}  // namespace strata::dry_gpu
