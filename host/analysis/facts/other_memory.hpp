// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace strata::analysis {

// Memory outside the device that was also allocated: on the host, pinned or not, or on another device.
struct OtherMemory {
  std::string device;  // "cpu", "pinned", "cuda:1"
  std::uint64_t peak_allocated_bytes = 0;
  std::uint64_t peak_sequence = 0;  // the last time if there are several
  // The most that its allocator held, handed out or not, in whole blocks; empty if it does not report that.
  std::optional<std::uint64_t> peak_reserved_bytes;
  std::uint64_t blocks = 0;                // total number
  std::uint64_t peak_offloaded_bytes = 0;  // of blocks registered as moved there until backward
};

}  // namespace strata::analysis
