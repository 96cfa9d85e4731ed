// SPDX-License-Identifier: Apache-2.0
// Which CUDA allocator torch used, and whether facts of memory are unknown because of it.
#pragma once

#include <cstdint>

#include "host/analysis/facts/cuda_allocator.hpp"

namespace strata::analysis {

// For the number in the store; kUnknown for an undefined one.
CudaTracing cuda_tracing(std::uint32_t stored);

// Whether it told less than torch's own does.
bool leaves_unknown(const CudaAllocator& allocator);

}  // namespace strata::analysis
