// SPDX-License-Identifier: Apache-2.0
// The allocator's segments as NVTX heaps, and its blocks as regions in them, for tools that check memory
// (Compute Sanitizer): they then know that a freed block must not be accessed although its segment remains.
// Only CUDA devices, and only if the headers have nvToolsExtMem.h.
#pragma once

#if __has_include(<nvtx3/nvToolsExtMem.h>)
#define STRATA_NVTX_HEAPS 1
#else
#define STRATA_NVTX_HEAPS 0
#endif

#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_set>

#include "plugins/nvtx_markers/domain.hpp"
#include "strata/ext/memory.h"

namespace strata::nvtx_markers {

class Heaps {
 public:
  explicit Heaps(Domain& domain);

  // [any] [alloc-lock]
  void on_memory(const strata_memory_event& event);

 private:
  struct Heap {
    std::uint64_t bytes;
    void* handle;  // nvtxMemHeapHandle_t
  };

  void give_back(const strata_memory_event& next);
  void add_heap(const strata_memory_event& segment);
  void remove_heap(std::uint64_t address);
  void add_region(const strata_memory_event& block);
  void remove_region(std::uint64_t address);

  Domain& domain_;
  const nvtxStringHandle_t name_;
  std::mutex mutex_;
  std::map<std::uint64_t, Heap> heaps_;        // by first address
  std::unordered_set<std::uint64_t> regions_;  // by address
  // If the last event was a free: its region is removed at the next event, which may report that a stream
  // still uses it.
  std::uint64_t freed_ = 0;
};

}  // namespace strata::nvtx_markers
