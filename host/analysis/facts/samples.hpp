// SPDX-License-Identifier: Apache-2.0
// Sampled memory outside the allocator's blocks, and deferred frees.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace strata::analysis {

// Of a device, counted by its driver.
struct DeviceSample {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  std::uint64_t used_bytes = 0;  // by all processes
  std::uint64_t total_bytes = 0;
  std::uint64_t reserved_bytes = 0;  // part held by this process's allocator

  // For the context, libraries that allocate themselves, and other processes. Negative only in a damaged run.
  std::int64_t outside_bytes() const {
    return static_cast<std::int64_t>(used_bytes) - static_cast<std::int64_t>(reserved_bytes);
  }
};

// Of the process, counted by the operating system.
struct ResidentSample {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  std::uint64_t bytes = 0;
  std::uint64_t peak_bytes = 0;  // the peak so far; 0: not sampled
};

// Freed blocks that a stream still uses, from one event on.
struct DeferredPoint {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  std::uint64_t bytes = 0;
  std::uint64_t requested_bytes = 0;  // the requested part of it
  std::uint64_t address = 0;          // of the block of this event
  std::int64_t change_bytes = 0;      // its size; negative: no stream uses it any more
};

// torch's own counts of a device at one moment. Peaks are since the event `reset_sequence`.
struct DeviceStatsRow {
  struct Count {
    std::uint64_t bytes = 0, peak_bytes = 0;
  };
  std::uint64_t sequence = 0, reset_sequence = 0;
  Count allocated, reserved, requested;
};

// Each by sequence, for the device of the facts.
struct Samples {
  std::vector<DeviceSample> device;
  std::vector<ResidentSample> resident;
  std::vector<DeferredPoint> deferred;  // empty: no free had to wait
};

// The last of `points` at or before `sequence`; null before the first.
template <typename Point>
const Point* last_at(const std::vector<Point>& points, std::uint64_t sequence) {
  const Point* found = nullptr;
  std::size_t first = 0, count = points.size();
  while (count > 0) {
    const std::size_t half = count / 2;
    if (points[first + half].sequence <= sequence) {
      found = &points[first + half];
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return found;
}

}  // namespace strata::analysis
