// SPDX-License-Identifier: Apache-2.0
// Default implementations of functions that are not implemented. Weak: a real definition replaces them. They
// take no argument or only the first one, whatever the caller passes: the C calling convention allows that.
#pragma once

#include "dry_gpu/device/refusals.hpp"

// cudart/library_call.hpp, which includes CUDA's own declarations.
namespace strata::dry_gpu {
struct LibraryHandle;
int succeed_without_effect(const LibraryHandle* handle, int no_handle, int failed) noexcept;
}  // namespace strata::dry_gpu

#define STRATA_REFUSED(NAME, ANSWER)                                         \
  static strata::dry_gpu::Refused refused_##NAME{#NAME};                     \
  extern "C" [[gnu::weak, gnu::visibility("default")]] int NAME() noexcept { \
    strata::dry_gpu::refuse(refused_##NAME);                                 \
    return ANSWER;                                                           \
  }

// The first argument is the library's handle.
#define STRATA_EFFECTLESS(NAME, NO_HANDLE, FAILED)                             \
  extern "C" [[gnu::weak, gnu::visibility("default")]] int NAME(               \
      const strata::dry_gpu::LibraryHandle* handle) noexcept {                 \
    return strata::dry_gpu::succeed_without_effect(handle, NO_HANDLE, FAILED); \
  }

// The library's handle is allocated by its caller and has no stream.
#define STRATA_EFFECTLESS_ANYWHERE(NAME)                                     \
  extern "C" [[gnu::weak, gnu::visibility("default")]] int NAME() noexcept { \
    return strata::dry_gpu::succeed_without_effect();                        \
  }
