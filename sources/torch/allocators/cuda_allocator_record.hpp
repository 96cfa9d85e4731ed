// SPDX-License-Identifier: Apache-2.0
// Which CUDA allocator a run had, and what is known of its blocks: in the run store, for whoever reads the
// run, and in the log where that is less than everything.
#pragma once

#include "sources/torch/allocators/cuda_allocator.hpp"
#include "strata/host.hpp"

namespace strata::torch_source {

// [loop-thread] Once a run. Throws std::runtime_error when the host refuses the table; a host that keeps no
// store has none to refuse.
void report_cuda_allocator(const Host& host, const TracedCuda& cuda);

}  // namespace strata::torch_source
