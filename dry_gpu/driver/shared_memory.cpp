// SPDX-License-Identifier: Apache-2.0
// Memory that processes share by file descriptors, as torch's symmetric memory does. A descriptor refers to
// a small file that describes the pages. Pages of another process take no memory of this one's devices: the
// process that created them has taken it.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "dry_gpu/cudart/call.hpp"
#include "dry_gpu/driver/call.hpp"

using namespace strata::dry_gpu;

namespace {

constexpr char kMagic[16] = "strata.memory/1";

struct Description {
  char magic[sizeof kMagic];
  std::uint64_t bytes;
  std::int64_t device;
};

}  // namespace

CUresult cuMemExportToShareableHandle(void* shareable, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags) {
  return drive([&](Machine& machine, ThreadState&) {
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
    const auto memory = machine.virtual_memory().memory(handle);
    if (!memory || shareable == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    Description description{.magic = {}, .bytes = memory->bytes, .device = memory->device};
    std::memcpy(description.magic, kMagic, sizeof kMagic);
    const int descriptor = memfd_create("strata-dry-gpu", MFD_CLOEXEC);
    if (descriptor < 0) return CUDA_ERROR_OPERATING_SYSTEM;
    if (write(descriptor, &description, sizeof description) != sizeof description) {
      close(descriptor);
      return CUDA_ERROR_OPERATING_SYSTEM;
    }
    std::memcpy(shareable, &descriptor, sizeof descriptor);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* shareable,
                                        CUmemAllocationHandleType type) {
  return drive([&](Machine& machine, ThreadState&) {
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
    // The descriptor itself is passed, not its address.
    const auto descriptor = static_cast<int>(reinterpret_cast<std::intptr_t>(shareable));
    Description description{};
    const bool is_read =
        pread(descriptor, &description, sizeof description, 0) == ssize_t{sizeof description};
    if (!is_read || std::memcmp(description.magic, kMagic, sizeof kMagic) != 0)
      return CUDA_ERROR_INVALID_VALUE;
    const auto device = static_cast<int>(description.device);
    if (!machine.has(device) || description.bytes == 0 || description.bytes % kPageBytes != 0)
      return CUDA_ERROR_INVALID_VALUE;
    *handle = machine.virtual_memory().import(device, description.bytes);
    return CUDA_SUCCESS;
  });
}
