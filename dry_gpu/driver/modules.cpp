// SPDX-License-Identifier: Apache-2.0
// Modules that programs load while they run (NVRTC, Triton) and the launches of their kernels. A module's
// code is not looked at: it has every kernel that is asked for.
#include <unistd.h>

#include <memory>

#include "dry_gpu/cupti/api_call.hpp"
#include "dry_gpu/device/kernels/kernels.hpp"
#include "dry_gpu/device/launch.hpp"
#include "dry_gpu/driver/call.hpp"

using namespace strata::dry_gpu;

namespace {

CUresult load(CUmodule* module, const void* code) {
  return drive([&](Machine& machine, ThreadState& thread) {
    if (code == nullptr) return CUDA_ERROR_INVALID_VALUE;
    machine.used(thread.device);
    *module = std::make_unique<CUmod_st>().release();
    return CUDA_SUCCESS;
  });
}

}  // namespace

CUresult cuModuleLoadData(CUmodule* module, const void* code) {
  ApiCall recorded(CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData);
  return recorded.answer(load(module, code));
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* code, unsigned, CUjit_option*, void**) {
  ApiCall recorded(CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx);
  return recorded.answer(load(module, code));
}

CUresult cuModuleLoad(CUmodule* module, const char* path) {
  if (path == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return access(path, R_OK) == 0 ? load(module, path) : CUDA_ERROR_FILE_NOT_FOUND;
}

CUresult cuModuleUnload(CUmodule module) {
  return drive([&](Machine&, ThreadState&) {
    const std::unique_ptr<CUmod_st> owned(module);
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return drive([&](Machine&, ThreadState&) {
    const std::scoped_lock lock(module->mutex);
    CUfunc_st& known = module->functions[name];
    known.name = name;
    *function = &known;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction) {
  return drive([&](Machine& machine, ThreadState&) {
    switch (which) {
      case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = 1024;
        return CUDA_SUCCESS;
      case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = 32;
        return CUDA_SUCCESS;
      case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *value = 0;
        return CUDA_SUCCESS;
      case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = static_cast<int>(machine.profile().shared_bytes_per_block_optin);
        return CUDA_SUCCESS;
      default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
  });
}

CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute which, int value) {
  return drive([&](Machine& machine, ThreadState&) {
    const bool is_too_much =
        which == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES &&
        static_cast<std::uint64_t>(value) > machine.profile().shared_bytes_per_block_optin;
    return value < 0 || is_too_much ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  });
}

CUresult cuFuncSetCacheConfig(CUfunction, CUfunc_cache) {
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream handle, void** arguments, void**) {
  ApiCall recorded(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
  return recorded.answer(drive_on(handle, [&](Machine& machine, CUstream_st& stream) {
    // A module may go before the name of its kernel is read.
    Clock* const clock = machine.clock();
    const char* const name = clock == nullptr || function == nullptr ? nullptr : clock->keep(function->name);
    return launch(
        machine, stream,
        {function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, arguments, name});
  }));
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z,
                                   unsigned shared_bytes, CUstream handle, void** arguments) {
  ApiCall recorded(CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel);
  return recorded.answer(cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                        shared_bytes, handle, arguments, nullptr));
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* to, CUfunction function, void** arguments, void** extra) {
  ApiCall recorded(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx);
  return recorded.answer(cuLaunchKernel(function, to->gridDimX, to->gridDimY, to->gridDimZ, to->blockDimX,
                                        to->blockDimY, to->blockDimZ, to->sharedMemBytes, to->hStream,
                                        arguments, extra));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int threads_per_block,
                                                     std::size_t shared_bytes) {
  return drive([&](Machine& machine, ThreadState&) {
    *blocks = resident_blocks(machine.profile(), threads_per_block, shared_bytes);
    return CUDA_SUCCESS;
  });
}
