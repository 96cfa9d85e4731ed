// SPDX-License-Identifier: Apache-2.0
#include "tests/allocator_tracer/heap_count.hpp"

#include <cerrno>
#include <cstdlib>
#include <new>

namespace {
thread_local std::uint64_t allocations = 0;
}

// A sanitizer has its own malloc, which may not be replaced: with one, only operator new is counted.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

#else

// glibc's own functions, behind the names that a program may replace. glibc's free matches them.
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);

#define STRATA_REPLACES __attribute__((visibility("default")))

STRATA_REPLACES void* malloc(std::size_t bytes) noexcept {
  ++allocations;
  return __libc_malloc(bytes);
}
STRATA_REPLACES void* calloc(std::size_t count, std::size_t bytes) noexcept {
  ++allocations;
  return __libc_calloc(count, bytes);
}
STRATA_REPLACES void* realloc(void* memory, std::size_t bytes) noexcept {
  ++allocations;
  return __libc_realloc(memory, bytes);
}
STRATA_REPLACES void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  ++allocations;
  return __libc_memalign(alignment, bytes);
}
STRATA_REPLACES int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept {
  ++allocations;
  *memory = __libc_memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
}

#endif

namespace strata::test {

std::uint64_t heap_allocations() {
  return allocations;
}

}  // namespace strata::test
