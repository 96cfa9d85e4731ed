// SPDX-License-Identifier: Apache-2.0
// Launches, and what programs ask of a kernel before them.
#include "dry_gpu/device/kernels/kernels.hpp"

#include <algorithm>
#include <atomic>

#include "dry_gpu/cudart/call.hpp"
#include "dry_gpu/cupti/api_call.hpp"
#include "dry_gpu/device/account/messages.hpp"
#include "dry_gpu/device/kernels/fat_binary.hpp"
#include "dry_gpu/device/launch.hpp"

using namespace strata::dry_gpu;

namespace {

// If a program has no code for the device, which only the program itself can report (see
// `report_missing_code`), its oldest code.
CodeVersion code_of(const void* fat_binary, const DeviceProfile& profile) {
  const std::vector<CodeImage> images = code_images(fat_binary);
  const int architecture = profile.architecture();
  if (const auto code = code_for(images, architecture)) return *code;
  if (images.empty()) return {architecture, architecture};
  const int oldest = std::ranges::min(images, {}, &CodeImage::architecture).architecture;
  return {oldest, oldest};
}

// A program may have no code for a device: a real one would reject its kernels. Here they need none, so their
// memory is still known. Checks the first kernel that a program launches.
void report_missing_code(const DeviceProfile& profile, const void* kernel) {
  static std::atomic<bool> is_asked = false;
  if (is_asked.load(std::memory_order_relaxed)) return;
  const auto known = kernels().kernel(kernel);
  if (!known || is_asked.exchange(true)) return;
  const std::vector<CodeImage> images = code_images(known->fat_binary);
  if (images.empty() || code_for(images, profile.architecture())) return;
  say(profile.name.c_str(),
      "would refuse this kernel and all kernels compiled with it, because they were built for other compute "
      "capabilities. Memory is reported as if they ran");
}

}  // namespace

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes, cudaStream_t handle) {
  ApiCall recorded(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000);
  return recorded.answer(call_on(handle, [&](Machine& machine, ThreadState&, CUstream_st& stream) {
    report_missing_code(machine.profile(), kernel);
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

// Only the architecture of a kernel's code is used; CUB selects by it among its compiled variants.
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  return call([&](Machine& machine, ThreadState&) {
    const auto known = kernels().kernel(kernel);
    if (!known) return cudaErrorInvalidDeviceFunction;
    const CodeVersion code = code_of(known->fat_binary, machine.profile());
    *attributes = {};
    attributes->maxThreadsPerBlock = 1024;
    attributes->numRegs = 32;
    attributes->binaryVersion = code.binary_version;
    attributes->ptxVersion = code.ptx_version;
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
