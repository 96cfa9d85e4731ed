// For a LibTorch without CUDA.
#include "sources/torch/cuda_allocator.hpp"
#include "sources/torch/cuda_workspaces.hpp"

namespace strata::torch_source {

std::string trace_cuda_allocator() {
  return {};
}

void CudaWorkspaces::tell() {}

}  // namespace strata::torch_source
