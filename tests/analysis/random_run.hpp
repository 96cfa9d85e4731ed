// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "host/analysis/recording/recording.hpp"

namespace strata::analysis::testing {

// Three steps of allocations, frees, registrations, modules and phases in any order an allocator allows.
Recording random_run(std::uint32_t seed);

}  // namespace strata::analysis::testing
