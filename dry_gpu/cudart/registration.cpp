// SPDX-License-Identifier: Apache-2.0
// Functions called before main by code that nvcc generates, which registers its kernels and variables. They
// are declared in crt/host_runtime.h, which only nvcc-generated code can include.
#include <memory>

#include "dry_gpu/cuda_api.hpp"
#include "dry_gpu/cudart/call.hpp"
#include "dry_gpu/device/kernels/kernels.hpp"

using namespace strata::dry_gpu;

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): CUDA's names
#pragma GCC visibility push(default)
extern "C" {

void** __cudaRegisterFatBinary(void* fat_binary) noexcept {
  return std::make_unique<void*>(fat_binary).release();
}

void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void** handle) {
  const std::unique_ptr<void*> owned(handle);
}
char __cudaInitModule(void**) {
  return 1;
}

void __cudaRegisterFunction(void** handle, const char* host_function, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  kernels().add(host_function, name, *handle);
}

void __cudaRegisterVar(void**, char* host_variable, char*, const char* name, int, std::size_t bytes, int,
                       int) {
  kernels().add_variable(host_variable, name, bytes);
}

void __cudaRegisterManagedVar(void**, void** host_variable, char*, const char* name, int, std::size_t bytes,
                              int, int) {
  kernels().add_variable(host_variable, name, bytes);
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes, CUstream_st* stream) {
  this_thread().launches.push_back({grid, block, shared_bytes, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes, void* stream) {
  std::vector<LaunchConfiguration>& launches = this_thread().launches;
  if (launches.empty()) return cudaErrorInvalidConfiguration;
  const LaunchConfiguration launch = launches.back();
  launches.pop_back();
  *grid = launch.grid;
  *block = launch.block;
  *shared_bytes = launch.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = launch.stream;
  return cudaSuccess;
}

// A kernel's handle is its host function.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host_function) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(host_function));
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared_bytes, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}

}  // extern "C"
#pragma GCC visibility pop
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
