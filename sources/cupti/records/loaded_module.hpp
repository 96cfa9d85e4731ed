// SPDX-License-Identifier: Apache-2.0
// Device code that was loaded.
#pragma once

#include <cstdint>

namespace strata::cupti {

struct LoadedModule {
  std::int64_t monotonic_ns = 0;
  std::uint64_t bytes = 0;
  std::uint32_t thread = 0;   // the OS thread id
  std::uint32_t context = 0;  // CUPTI's context number; 0: unknown
};

}  // namespace strata::cupti
