// SPDX-License-Identifier: Apache-2.0
// What a store holds, in a glance: enough to tell the process that trained from those around it.
#pragma once

#include <cstdint>

#include "host/analysis/reading/store_file.hpp"

namespace strata::analysis {

struct StoreOutline {
  bool holds_anything = false;  // memory, or times in a run that did not trace memory
  std::uint64_t steps = 0;      // that ended
};

// Throws RunError.
StoreOutline outline_of(const StoreFile& file);

}  // namespace strata::analysis
