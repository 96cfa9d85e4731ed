// SPDX-License-Identifier: Apache-2.0
// Memory for transfers: allocated by NCCL for programs, or registered by them with a communicator.
#include "dry_gpu/nccl/buffers.hpp"

#include "dry_gpu/nccl/communicator.hpp"

using namespace strata::dry_gpu;

namespace {

constexpr std::uintptr_t kWindowAlignment = NCCL_WIN_REQUIRED_ALIGNMENT;

// A handle is a number that no other has, and not null.
void* next_handle() {
  static std::atomic<std::uintptr_t> last = 0;
  return reinterpret_cast<void*>(++last);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

namespace strata::dry_gpu {

bool is_of_device(const Machine& machine, int device, const void* buffer, std::uint64_t bytes) {
  const auto is_its = [&](Address address) {
    const auto place = machine.find(address);
    return place && place->device == device;
  };
  const auto first = address_of(buffer);
  Address last = 0;
  return !__builtin_add_overflow(first, bytes - 1, &last) && is_its(first) && is_its(last);
}

}  // namespace strata::dry_gpu

// Whole pages of 2 MiB. It may be more on a real GPU whose memory several GPUs map at once.
ncclResult_t ncclMemAlloc(void** pointer, std::size_t bytes) {
  return call_nccl([&](Machine&) {
    const std::size_t rounded = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
    const cudaError_t error = rounded < bytes ? cudaErrorMemoryAllocation : cudaMalloc(pointer, rounded);
    return error == cudaSuccess ? ncclSuccess : fail(ncclUnhandledCudaError, cudaGetErrorString(error));
  });
}

ncclResult_t ncclMemFree(void* pointer) {
  return call_nccl([&](Machine&) {
    const cudaError_t error = cudaFree(pointer);
    return error == cudaSuccess ? ncclSuccess : fail(ncclUnhandledCudaError, cudaGetErrorString(error));
  });
}

ncclResult_t ncclCommRegister(const ncclComm_t handle, void* buffer, std::size_t bytes, void** result) {
  return call_with(handle, [&](Machine& machine, ncclComm& communicator) {
    if (result == nullptr || bytes == 0 || !is_of_device(machine, communicator.device, buffer, bytes))
      return fail(ncclInvalidArgument, "ncclCommRegister : buff is not memory of the communicator's device");
    *result = next_handle();
    const std::scoped_lock lock(communicator.mutex);
    communicator.registered.emplace(*result, ncclComm::Buffer{buffer, bytes});
    return ncclSuccess;
  });
}

ncclResult_t ncclCommDeregister(const ncclComm_t handle, void* registered) {
  return call_with(handle, [&](Machine&, ncclComm& communicator) {
    const std::scoped_lock lock(communicator.mutex);
    return registered == nullptr || communicator.registered.erase(registered) == 1
               ? ncclSuccess
               : fail(ncclInvalidUsage, "Deregister: Could not find handle");
  });
}

ncclResult_t ncclCommWindowRegister(ncclComm_t handle, void* buffer, std::size_t bytes, ncclWindow_t* result,
                                    int) {
  return call_with(handle, [&](Machine& machine, ncclComm& communicator) {
    if (result == nullptr) return fail(ncclInvalidArgument, "win argument is NULL");
    *result = nullptr;
    if (buffer == nullptr || bytes == 0) return ncclSuccess;  // as NCCL: no window, and no error
    if (address_of(buffer) % kWindowAlignment != 0)
      return fail(ncclInvalidArgument, "Window address must be suitably aligned.");
    if (!is_of_device(machine, communicator.device, buffer, bytes))
      return fail(ncclInvalidArgument, "Window memory is not the communicator's device's");
    *result = static_cast<ncclWindow_t>(next_handle());
    const std::scoped_lock lock(communicator.mutex);
    communicator.windows.emplace(*result, ncclComm::Buffer{buffer, bytes});
    return ncclSuccess;
  });
}

ncclResult_t ncclCommWindowDeregister(ncclComm_t handle, ncclWindow_t window) {
  return call_with(handle, [&](Machine&, ncclComm& communicator) {
    const std::scoped_lock lock(communicator.mutex);
    return window == nullptr || communicator.windows.erase(window) == 1
               ? ncclSuccess
               : fail(ncclInvalidArgument, "the window is not of this communicator");
  });
}
