// SPDX-License-Identifier: Apache-2.0
#include "plugins/nvtx_markers/heaps.hpp"

#if STRATA_NVTX_HEAPS
#include <nvtx3/nvToolsExtMem.h>
#endif

namespace strata::nvtx_markers {

Heaps::Heaps(Domain& domain) : domain_(domain), name_(domain.string("segment")) {}

void Heaps::on_memory(const strata_memory_event& event) {
  if (event.device.type != STRATA_DEVICE_CUDA) return;
  const std::lock_guard lock(mutex_);
  give_back(event);
  switch (event.action) {
    case STRATA_MEMORY_SEGMENT_ALLOCATE:
      return add_heap(event);
    case STRATA_MEMORY_SEGMENT_FREE:
      return remove_heap(event.address);
    case STRATA_MEMORY_ALLOCATE:
      return add_region(event);
    case STRATA_MEMORY_FREE:
      freed_ = event.address;
      return;
    case STRATA_MEMORY_FREE_COMPLETED:
      return remove_region(event.address);
    default:
      return;
  }
}

void Heaps::give_back(const strata_memory_event& next) {
  const bool still_used = next.action == STRATA_MEMORY_FREE_DEFERRED && next.address == freed_;
  if (freed_ != 0 && !still_used) remove_region(freed_);
  freed_ = 0;
}

#if STRATA_NVTX_HEAPS

namespace {

// Null where no tool knows heaps; NVTX_MEM_HEAP_HANDLE_NO_TOOL is -1, and does not compile as C++.
bool is_none(nvtxMemHeapHandle_t heap) noexcept {
  return heap == nullptr || reinterpret_cast<std::intptr_t>(heap) == -1;
}

// In device memory: never read here.
const void* pointer(std::uint64_t address) noexcept {
  return reinterpret_cast<const void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

void Heaps::add_heap(const strata_memory_event& segment) {
  const nvtxMemVirtualRangeDesc_t range{segment.bytes, pointer(segment.address)};
  nvtxMemHeapDesc_t heap{};
  heap.extCompatID = NVTX_EXT_COMPATID_MEM;
  heap.structSize = sizeof heap;
  heap.usage = NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR;
  heap.type = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
  heap.typeSpecificDescSize = sizeof range;
  heap.typeSpecificDesc = &range;
  heap.category = static_cast<std::uint32_t>(Category::kMemory);
  heap.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  heap.message.registered = name_;
  nvtxMemHeapHandle_t const handle = nvtxMemHeapRegister(domain_.handle(), &heap);
  if (is_none(handle)) return;
  heaps_.insert_or_assign(segment.address, Heap{segment.bytes, handle});
}

void Heaps::remove_heap(std::uint64_t address) {
  const auto found = heaps_.find(address);
  if (found == heaps_.end()) return;
  nvtxMemHeapUnregister(domain_.handle(), static_cast<nvtxMemHeapHandle_t>(found->second.handle));
  heaps_.erase(found);
}

void Heaps::add_region(const strata_memory_event& block) {
  auto heap = heaps_.upper_bound(block.address);
  if (heap == heaps_.begin()) return;
  --heap;
  if (block.address - heap->first >= heap->second.bytes) return;
  const nvtxMemVirtualRangeDesc_t range{block.bytes, pointer(block.address)};
  nvtxMemRegionHandle_t handle{};
  nvtxMemRegionsRegisterBatch_t batch{};
  batch.extCompatID = NVTX_EXT_COMPATID_MEM;
  batch.structSize = sizeof batch;
  batch.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
  batch.heap = static_cast<nvtxMemHeapHandle_t>(heap->second.handle);
  batch.regionCount = 1;
  batch.regionDescElementSize = sizeof range;
  batch.regionDescElements = &range;
  batch.regionHandleElementsOut = &handle;
  nvtxMemRegionsRegister(domain_.handle(), &batch);
  regions_.insert(block.address);
}

void Heaps::remove_region(std::uint64_t address) {
  if (regions_.erase(address) == 0) return;
  nvtxMemRegionRef_t region{};
  region.pointer = pointer(address);
  nvtxMemRegionsUnregisterBatch_t batch{};
  batch.extCompatID = NVTX_EXT_COMPATID_MEM;
  batch.structSize = sizeof batch;
  batch.refType = NVTX_MEM_REGION_REF_TYPE_POINTER;
  batch.refCount = 1;
  batch.refElementSize = sizeof region;
  batch.refElements = &region;
  nvtxMemRegionsUnregister(domain_.handle(), &batch);
}

#else

void Heaps::add_heap(const strata_memory_event&) {}
void Heaps::remove_heap(std::uint64_t) {}
void Heaps::add_region(const strata_memory_event&) {}
void Heaps::remove_region(std::uint64_t) {}

#endif

}  // namespace strata::nvtx_markers
