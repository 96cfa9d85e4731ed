// SPDX-License-Identifier: Apache-2.0
// What is in use beside the allocator's blocks, as it was sampled, and what of the blocks nobody asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace strata::analysis {

// Of a device, as its driver counts.
struct DeviceSample {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  std::uint64_t used_bytes = 0;  // by all processes
  std::uint64_t total_bytes = 0;
  std::uint64_t reserved_bytes = 0;  // of them, by this process's allocator

  // For the context, for libraries that allocate by themselves, for other processes. Negative only where the
  // run was damaged.
  std::int64_t outside_bytes() const {
    return static_cast<std::int64_t>(used_bytes) - static_cast<std::int64_t>(reserved_bytes);
  }
};

// Of the process, as the operating system counts.
struct ResidentSample {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  std::uint64_t bytes = 0;
  std::uint64_t peak_bytes = 0;  // the most ever; 0: it was not asked then
};

// Blocks that were freed and that a stream still uses, from one event on.
struct DeferredPoint {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  std::uint64_t bytes = 0;
  std::uint64_t requested_bytes = 0;  // asked for, of these
};

// torch's own counts of a device at one moment. Peaks are those since the event `reset_sequence`.
struct DeviceStatsRow {
  struct Count {
    std::uint64_t bytes = 0, peak_bytes = 0;
  };
  std::uint64_t sequence = 0, reset_sequence = 0;
  Count allocated, reserved, requested;
};

// By sequence each, of the device that the facts are of.
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
