// SPDX-License-Identifier: Apache-2.0
// Graph launches by the driver's function. Graphs are made by the runtime, whose handles are the driver's.
#include "dry_gpu/cupti/api_call.hpp"
#include "dry_gpu/device/graph_launch.hpp"
#include "dry_gpu/driver/call.hpp"

using namespace strata::dry_gpu;

CUresult cuGraphLaunch(CUgraphExec executable, CUstream handle) {
  ApiCall recorded(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch);
  if (executable == nullptr) return recorded.answer(CUDA_ERROR_INVALID_VALUE);
  return recorded.answer(drive_on(handle, [&](Machine& machine, CUstream_st& stream) {
    return launch_graph(machine, stream, *executable);
  }));
}
