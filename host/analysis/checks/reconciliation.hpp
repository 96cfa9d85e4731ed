// SPDX-License-Identifier: Apache-2.0
// The memory of a moment under all its names: the values that the driver, the allocator, the program and this
// report each call "used", and the differences between them. Every line is the sum of those below it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/analysis/facts/category.hpp"

namespace strata::analysis {

struct MemoryFacts;

struct Reconciliation {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  std::int64_t step = -1;
  std::string phase;

  // The device: used = outside + reserved. Empty if it was never sampled.
  std::optional<std::uint64_t> device_total_bytes, device_used_bytes;
  std::int64_t outside_bytes = 0;  // context, libraries, other processes
  // reserved = unused + deferred + allocated.
  std::uint64_t reserved_bytes = 0;
  std::int64_t unused_bytes = 0;     // cached; 0 on the CPU
  std::uint64_t deferred_bytes = 0;  // freed, but still used by a stream
  // allocated = rounding + requested; both summed over the categories.
  std::uint64_t allocated_bytes = 0, rounding_bytes = 0, requested_bytes = 0;
  CategoryBytes allocated_by{}, requested_by{};
  // The host: resident = allocated there + rest. At the last sample before the moment.
  std::optional<std::uint64_t> resident_bytes;
};

// At the event `sequence`, whose time is `ns`.
Reconciliation reconcile(const MemoryFacts& facts, std::uint64_t sequence, std::int64_t ns);

// At the window's peak: of allocated memory on a device; on the CPU that of the process, because the
// operating system is only sampled, and its value and ours are of the same moment only there.
Reconciliation reconcile_peak(const MemoryFacts& facts);

}  // namespace strata::analysis
