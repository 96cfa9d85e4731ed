// SPDX-License-Identifier: Apache-2.0
// Which allocator torch had for CUDA, and what a run does not know of its memory for that reason.
#pragma once

#include <cstdint>
#include <string>

#include "host/analysis/recording/memory_rows.hpp"

namespace strata::analysis {

// Of the number in the store; kUnknown for one that nobody has given yet.
CudaTracing cuda_tracing(std::uint32_t stored);

// One sentence for a reader, with the remedy; empty where everything is known.
std::string what_is_not_known(const CudaAllocator& allocator);

}  // namespace strata::analysis
