// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/allocators/cuda_allocator_slot.hpp"

#include <dlfcn.h>

namespace strata::torch_source {

CudaAllocatorSlot* cuda_allocator_slot() {
  static constexpr const char* kVariable = "_ZN3c104cuda20CUDACachingAllocator9allocatorE";
  void* const library = dlopen("libc10_cuda.so", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  // A program that refers to the variable itself has a copy of it, which the library then uses instead of its
  // own.
  void* found = dlsym(RTLD_DEFAULT, kVariable);
  if (found == nullptr) found = dlsym(library, kVariable);
  return static_cast<CudaAllocatorSlot*>(found);
}

}  // namespace strata::torch_source
