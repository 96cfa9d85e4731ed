// SPDX-License-Identifier: Apache-2.0
// Executable graphs, and their launches, whichever of CUDA's two interfaces these come through.
#pragma once

#include <memory>

#include "dry_gpu/device/machine.hpp"

namespace strata::dry_gpu {

// With a clone of each node.
std::unique_ptr<CUgraphExec_st> make_executable(const CUgraph_st& graph, unsigned long long flags);

// Does what the nodes do, in the order of capture, which keeps every dependency.
cudaError_t launch_graph(Machine& machine, CUstream_st& stream, const CUgraphExec_st& executable);

}  // namespace strata::dry_gpu
