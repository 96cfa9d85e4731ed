// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cudart/library_call.hpp"

namespace strata::dry_gpu {

cudaError_t submit_library_call(Machine& machine, CUstream_st& stream, Workspace workspace) {
  return machine.streams().submit(&stream, cudaGraphNodeTypeKernel, [&counts = machine.counts(), workspace] {
    counts.library_calls.add();
    if (workspace == Workspace::kUnknown) counts.unknown_workspaces.add();
  });
}

cudaError_t submit_library_call(const LibraryHandle& handle, Workspace workspace) {
  return call([&](Machine& machine, ThreadState&) {
    CUstream_st* const stream = machine.streams().resolve(handle.stream, handle.device);
    return stream == nullptr ? cudaErrorInvalidResourceHandle
                             : submit_library_call(machine, *stream, workspace);
  });
}

int succeed_without_effect(const LibraryHandle* handle, int no_handle, int failed) noexcept {
  if (handle == nullptr) return no_handle;
  return submit_library_call(*handle) == cudaSuccess ? 0 : failed;
}

}  // namespace strata::dry_gpu
