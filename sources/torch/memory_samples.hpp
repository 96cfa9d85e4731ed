// SPDX-License-Identifier: Apache-2.0
// Samples of what is in use beside the allocator's blocks: the memory of each CUDA device as the driver
// counts it, and what this process holds of the machine's. Taken between the program's operations, at moments
// that the host names; each has the sequence of its moment.
#pragma once

#include <cstdint>
#include <vector>

#include "sources/torch/device_memory.hpp"
#include "strata/events.h"
#include "strata/host.hpp"
#include "strata/table.hpp"

namespace strata::torch_source {

struct DeviceSampleRow {
  std::uint64_t sequence;
  std::int64_t monotonic_ns;
  std::uint64_t used_bytes;
  std::uint64_t total_bytes;
  std::uint32_t device_type;
  std::uint32_t device_index;
};

struct ProcessSampleRow {
  std::uint64_t sequence;
  std::int64_t monotonic_ns;
  std::uint64_t resident_bytes;
  std::uint64_t peak_resident_bytes;
};

class MemorySamples {
 public:
  // [driver] Declares the tables. Throws std::runtime_error when the host keeps none.
  explicit MemorySamples(const Host& host);

  // [driver] Of everything.
  void take(const strata_when& when);
  // [driver] Of the process; of the devices if one's allocator holds other segments than at the last sample.
  void take_what_changed(const strata_when& when);

 private:
  void take_devices(const strata_when& when);

  Host host_;
  Table<DeviceSampleRow> devices_;
  Table<ProcessSampleRow> process_;
  std::vector<std::uint64_t> reserved_bytes_;  // of each device, at the last sample
  bool device_answers_ = true;
};

}  // namespace strata::torch_source
