// Launches, and what programs ask of a kernel before them.
#include "dry_gpu/device/kernels.hpp"

#include "dry_gpu/cudart/call.hpp"
#include "dry_gpu/cupti/api_call.hpp"
#include "dry_gpu/device/launch.hpp"

using namespace strata::dry_gpu;

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes, cudaStream_t handle) {
  ApiCall recorded(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000);
  return recorded.answer(call_on(handle, [&](Machine& machine, ThreadState&, CUstream_st& stream) {
    return launch(machine, stream, {kernel, grid, block, shared_bytes, arguments});
  }));
}

cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared_bytes, cudaStream_t handle) {
  ApiCall recorded(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000);
  return recorded.answer(cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, handle));
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* configuration, const void* kernel,
                                void** arguments) {
  ApiCall recorded(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060);
  return recorded.answer(cudaLaunchKernel(kernel, configuration->gridDim, configuration->blockDim, arguments,
                                          configuration->dynamicSmemBytes, configuration->stream));
}

// The code of kernels is not looked at: a plausible kernel of the device's own architecture.
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  return call([&](Machine& machine, ThreadState&) {
    if (kernels().name_of(kernel) == nullptr) return cudaErrorInvalidDeviceFunction;
    const DeviceProfile& profile = machine.profile();
    *attributes = {};
    attributes->maxThreadsPerBlock = 1024;
    attributes->numRegs = 32;
    attributes->binaryVersion = attributes->ptxVersion =
        static_cast<int>(10 * profile.compute_major + profile.compute_minor);
    attributes->maxDynamicSharedSizeBytes = 48 * 1024;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  return call([&](Machine& machine, ThreadState&) {
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize &&
        (value < 0 || static_cast<std::uint64_t>(value) > machine.profile().shared_bytes_per_block_optin))
      return cudaErrorInvalidValue;
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int threads_per_block,
                                                          std::size_t shared_bytes) {
  return call([&](Machine& machine, ThreadState&) {
    *blocks = resident_blocks(machine.profile(), threads_per_block, shared_bytes);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* kernel,
                                                                   int threads_per_block,
                                                                   std::size_t shared_bytes, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads_per_block, shared_bytes);
}

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return call([&](Machine& machine, ThreadState& thread) {
    const auto variable = kernels().variable(symbol);
    if (!variable) return cudaErrorInvalidSymbol;
    const auto place = machine.variable(thread.device, symbol, variable->bytes);
    if (!place) return cudaErrorMemoryAllocation;
    *address = reinterpret_cast<void*>(*place);  // NOLINT(performance-no-int-to-ptr)
    return cudaSuccess;
  });
}

cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return call([&](Machine&, ThreadState&) {
    const auto variable = kernels().variable(symbol);
    if (!variable) return cudaErrorInvalidSymbol;
    *bytes = variable->bytes;
    return cudaSuccess;
  });
}
