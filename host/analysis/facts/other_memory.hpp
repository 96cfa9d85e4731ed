// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace strata::analysis {

// What other memory than the device's was handed out beside it: the host's, pinned or not, or another
// device's.
struct OtherMemory {
  std::string device;  // "cpu", "pinned", "cuda:1"
  std::uint64_t peak_allocated_bytes = 0;
  std::uint64_t peak_sequence = 0;         // when, the last time of several
  std::uint64_t blocks = 0;                // handed out in all
  std::uint64_t peak_offloaded_bytes = 0;  // of blocks registered as moved there until backward
};

}  // namespace strata::analysis
