// SPDX-License-Identifier: Apache-2.0
// One moment of the run under every name that its memory has: what the driver, the allocator, the program and
// this report each call "used", and what lies between them. Every line is the sum of those below it.
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

  // The device: used = outside + reserved. Nothing where it was never sampled.
  std::optional<std::uint64_t> device_total_bytes, device_used_bytes;
  std::int64_t outside_bytes = 0;  // context, libraries, other processes
  // reserved = unused + deferred + allocated.
  std::uint64_t reserved_bytes = 0;
  std::int64_t unused_bytes = 0;     // kept for later; on the CPU 0
  std::uint64_t deferred_bytes = 0;  // freed, and still used by a stream
  // allocated = rounding + requested; both are sums over the categories.
  std::uint64_t allocated_bytes = 0, rounding_bytes = 0, requested_bytes = 0;
  CategoryBytes allocated_by{}, requested_by{};
  // The host: resident = what is allocated there + rest. At the last sample before the moment.
  std::optional<std::uint64_t> resident_bytes;
};

// At the event `sequence`, which was at `ns`.
Reconciliation reconcile(const MemoryFacts& facts, std::uint64_t sequence, std::int64_t ns);

// Where the window's memory is largest: allocated, on a device; on the CPU the process's, for the operating
// system is asked now and then, and its number and ours are of one moment only there.
Reconciliation reconcile_peak(const MemoryFacts& facts);

}  // namespace strata::analysis
