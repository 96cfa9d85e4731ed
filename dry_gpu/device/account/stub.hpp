// SPDX-License-Identifier: Apache-2.0
// The answers of a function that nobody implemented. Weak: a definition takes their place. They take no
// arguments, or the first, whatever their callers pass: the C calling convention leaves the others alone.
#pragma once

#include "dry_gpu/device/account/refusals.hpp"

// cudart/library_call.hpp, which brings CUDA's own declarations along.
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

// The library's handle is of its caller's making, and says nothing of a stream.
#define STRATA_EFFECTLESS_ANYWHERE(NAME)                                     \
  extern "C" [[gnu::weak, gnu::visibility("default")]] int NAME() noexcept { \
    return strata::dry_gpu::succeed_without_effect();                        \
  }
