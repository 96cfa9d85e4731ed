// SPDX-License-Identifier: Apache-2.0
// Which CUDA allocator torch used, and which facts of memory are unknown because of it.
#pragma once

#include <cstdint>
#include <string>

#include "host/analysis/recording/memory_rows.hpp"

namespace strata::analysis {

// For the number in the store; kUnknown for an undefined one.
CudaTracing cuda_tracing(std::uint32_t stored);

// One sentence for the user, with the remedy; empty if everything is known.
std::string what_is_not_known(const CudaAllocator& allocator);

}  // namespace strata::analysis
