// SPDX-License-Identifier: Apache-2.0
// Executable graphs and their launches, for both of CUDA's interfaces.
#pragma once

#include <memory>

#include "dry_gpu/device/machine.hpp"

namespace strata::dry_gpu {

// With a clone of each node.
std::unique_ptr<CUgraphExec_st> make_executable(const CUgraph_st& graph, unsigned long long flags);

// Performs the nodes in the order of capture, which respects every dependency.
cudaError_t launch_graph(Machine& machine, CUstream_st& stream, const CUgraphExec_st& executable);

}  // namespace strata::dry_gpu
