// SPDX-License-Identifier: Apache-2.0
// Device code that became loaded.
#pragma once

#include <cstdint>

namespace strata::cupti {

struct LoadedModule {
  std::int64_t monotonic_ns = 0;
  std::uint64_t bytes = 0;
  std::uint32_t thread = 0;   // the system's number of it
  std::uint32_t context = 0;  // CUPTI's number of it; 0: not known
};

}  // namespace strata::cupti
