// SPDX-License-Identifier: Apache-2.0
// For a LibTorch without CUDA.
#include "sources/torch/allocators/cuda_allocator.hpp"
#include "sources/torch/allocators/cuda_start.hpp"
#include "sources/torch/allocators/cuda_workspaces.hpp"

namespace strata::torch_source {

TracedCuda trace_cuda_allocator(bool) {
  return {};
}

void restore_cuda_allocator() {}

void report_cuda_workspaces() noexcept {}

void when_cuda_starts(void (*)()) {}

}  // namespace strata::torch_source
