// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cudart/library_call.hpp"

namespace strata::dry_gpu {

void count_workspace(Counts& counts, Workspace workspace) noexcept {
  switch (workspace) {
    case Workspace::kNone:
      return;
    case Workspace::kUnknown:
      return counts.unknown_workspaces.add();
    case Workspace::kAsked:
      return counts.asked_workspaces.add();
    case Workspace::kFitted:
      return counts.fitted_workspaces.add();
    case Workspace::kBounded:
      return counts.bounded_workspaces.add();
  }
}

cudaError_t submit_library_call(Machine& machine, CUstream_st& stream, Workspace workspace) {
  return machine.streams().submit(&stream, cudaGraphNodeTypeKernel, [&counts = machine.counts(), workspace] {
    counts.library_calls.add();
    count_workspace(counts, workspace);
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
