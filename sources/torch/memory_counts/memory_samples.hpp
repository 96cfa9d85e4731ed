// SPDX-License-Identifier: Apache-2.0
// Samples of memory use outside the allocator's blocks: the memory of each CUDA device as counted by the
// driver, and this process's share of the machine's. Taken between the program's operations, at moments that
// the host names; each has the sequence of its moment. If one moment immediately follows another, as the
// begin of a step follows the end of the last one, a single reading is used for both.
#pragma once

#include <cstdint>
#include <vector>

#include "sources/torch/memory_counts/device_memory.hpp"
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
  // [loop-thread] Declares the tables. Throws std::runtime_error if the host keeps no store.
  explicit MemorySamples(const Host& host);

  // [loop-thread] Samples everything.
  void take(const strata_when& when);
  // [loop-thread] Samples the process; also the devices if the allocator of one has other segments than at
  // the last sample.
  void take_what_changed(const strata_when& when);

 private:
  void take_process(const strata_when& when, bool with_peak);
  void read_devices(const strata_when& when);
  void take_devices(const strata_when& when);

  Host host_;
  Table<DeviceSampleRow> devices_;
  Table<ProcessSampleRow> process_;
  ProcessSampleRow last_process_{};
  std::vector<DeviceSampleRow> last_devices_;
  std::int64_t process_read_ns_ = 0, devices_read_ns_ = 0;  // 0: not yet
  std::vector<std::uint64_t> reserved_bytes_;               // of each device, at the last sample
  bool device_answers_ = true;
};

}  // namespace strata::torch_source
