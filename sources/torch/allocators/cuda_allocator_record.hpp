// SPDX-License-Identifier: Apache-2.0
// Records in the run store which CUDA allocator a run used and what is known of its blocks, and logs if that
// is incomplete.
#pragma once

#include "sources/torch/allocators/cuda_allocator.hpp"
#include "strata/host.hpp"

namespace strata::torch_source {

// [loop-thread] Once per run. Throws std::runtime_error if the host rejects the table; without a store there
// is no table.
void report_cuda_allocator(const Host& host, const TracedCuda& cuda);

}  // namespace strata::torch_source
