// SPDX-License-Identifier: Apache-2.0
// A summary of a store's contents: enough to distinguish the process that trained from others.
#pragma once

#include <cstdint>

#include "host/analysis/reading/store_file.hpp"

namespace strata::analysis {

struct StoreOutline {
  bool holds_anything = false;  // memory, or times in a run that did not trace memory
  std::uint64_t steps = 0;      // number of completed ones
};

// Throws RunError.
StoreOutline outline_of(const StoreFile& file);

}  // namespace strata::analysis
