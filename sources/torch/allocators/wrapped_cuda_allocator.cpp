// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/allocators/wrapped_cuda_allocator.hpp"

#include <c10/core/Allocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <type_traits>
#include <unordered_map>

#include "sources/torch/allocators/cuda_workspaces.hpp"
#include "sources/torch/allocators/forwarding_cuda_allocator.hpp"
#include "sources/torch/host/host_link.hpp"

namespace strata::torch_source {
namespace {

using c10::cuda::CUDACachingAllocator::CUDAAllocator;

struct CudaPlace {
  c10::DeviceIndex device = 0;
  std::uint64_t stream = 0;
};

CudaPlace current_place() {
  const auto* const device_guard = c10::impl::getDeviceGuardImpl(c10::kCUDA);
  const c10::Device device = device_guard->getDevice();
  return {device.index(), reinterpret_cast<std::uint64_t>(device_guard->getStream(device).native_handle())};
}

struct CudaBlock {
  const void* address = nullptr;
  std::size_t bytes = 0;
  CudaPlace place;
  c10::DeleterFnPtr deleter = nullptr;  // null: the block is freed by its address
};

// By the key with which a block is freed: the context of its deleter, or its address.
class CudaBlocks {
 public:
  void add(const void* key, const CudaBlock& block) {
    const std::lock_guard lock(mutex_);
    blocks_[key] = block;
  }

  std::optional<CudaBlock> take(const void* key) {
    const std::lock_guard lock(mutex_);
    const auto block = blocks_.extract(key);
    return block.empty() ? std::nullopt : std::optional(block.mapped());
  }

 private:
  std::mutex mutex_;
  std::unordered_map<const void*, CudaBlock> blocks_;
};

// The allocator's own counts for one device.
struct CudaCount {
  std::int64_t allocated = 0, reserved = 0;
};

void free_wrapped_block(void* context);

class WrappedCudaAllocator final : public WholeForwarding {
 public:
  explicit WrappedCudaAllocator(CUDAAllocator& allocator)
      : WholeForwarding(allocator), counts_(allocator.name() == "cudaMallocAsync") {}

  bool counts() const { return counts_; }
  void set_reports(BlockReports reports) { reports_.store(reports == BlockReports::kToC10); }
  void forget_reported() {
    const auto order = in_order();
    reported_reserved_.fill(0);
  }

  c10::DataPtr allocate(std::size_t bytes) override {
    const CudaPlace place = current_place();
    const auto order = in_order();
    const CudaCount before = count(place.device);
    c10::DataPtr block = asked_for(bytes, place, [&] { return wrapped().allocate(bytes); });
    const c10::DeleterFnPtr deleter = block.get_deleter();
    if (block.get() == nullptr || block.get_context() == nullptr ||
        !block.compare_exchange_deleter(deleter, &free_wrapped_block)) {
      return block;
    }
    add(block.get_context(), {block.get(), bytes, place, deleter}, before);
    return block;
  }

  void* raw_alloc(std::size_t bytes) override {
    return raw(bytes, current_place(), [&] { return wrapped().raw_alloc(bytes); });
  }
  void* raw_alloc_with_stream(std::size_t bytes, cudaStream_t stream) override {
    const CudaPlace place{current_place().device, reinterpret_cast<std::uint64_t>(stream)};
    return raw(bytes, place, [&] { return wrapped().raw_alloc_with_stream(bytes, stream); });
  }
  void raw_delete(void* address) override {
    free(address, [&](const std::optional<CudaBlock>&) { wrapped().raw_delete(address); });
  }
  c10::DeleterFnPtr raw_deleter() const override { return &free_wrapped_block; }

  void emptyCache(c10::MempoolId_t pool) override {
    const auto order = in_order();
    wrapped().emptyCache(pool);
    for (std::size_t device = 0; device < reported_reserved_.size(); ++device) {
      if (reported_reserved_[device] != 0) report_reserved(static_cast<c10::DeviceIndex>(device));
    }
  }

  // [any] By a deleter: its block, or one that was made before this was here, or elsewhere.
  void free_by_deleter(void* context) {
    free(context, [&](const std::optional<CudaBlock>& block) {
      const bool has_own = block && block->deleter != nullptr;
      (has_own ? block->deleter : wrapped().raw_deleter())(context);
    });
  }

 private:
  // The count covers all threads, so each operation, including its event, finishes before the next. An
  // allocator without a count may belong to a program, even in Python, and takes its own locks: we take none.
  std::unique_lock<std::recursive_mutex> in_order() {
    return counts_ ? std::unique_lock(order_) : std::unique_lock<std::recursive_mutex>();
  }

  // Both zero if the driver does not respond: the program itself must find out.
  CudaCount count(c10::DeviceIndex device) {
    if (!counts_) return {};
    try {
      const auto stats = wrapped().getDeviceStats(device);
      const auto total = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
      return {stats.allocated_bytes[total].current, stats.reserved_bytes[total].current};
    } catch (const std::exception&) {
      return {};
    }
  }

  template <typename Allocate>
  std::invoke_result_t<Allocate> asked_for(std::size_t bytes, const CudaPlace& place, Allocate allocate) {
    try {
      auto block = allocate();
      if (!block && bytes != 0) report_failure(bytes, place, UINT64_MAX);
      return block;
    } catch (const c10::OutOfMemoryError&) {
      report_failure(bytes, place, free_bytes(place.device));
      throw;
    }
  }

  void report_failure(std::size_t bytes, const CudaPlace& place, std::uint64_t device_free_bytes) {
    tell(STRATA_MEMORY_OUT_OF_MEMORY, {nullptr, bytes, place}, device_free_bytes);
    report_cuda_workspaces();
  }

  template <typename Allocate>
  void* raw(std::size_t bytes, const CudaPlace& place, Allocate allocate) {
    const auto order = in_order();
    const CudaCount before = count(place.device);
    void* const address = asked_for(bytes, place, allocate);
    if (address != nullptr) add(address, {address, bytes, place}, before);
    return address;
  }

  void add(const void* key, const CudaBlock& block, const CudaCount& before) {
    blocks_.add(key, block);
    report_reserved(block.place.device);
    tell(STRATA_MEMORY_ALLOCATE, block);
    if (!counts_) return;
    const CudaCount after = count(block.place.device);
    const std::int64_t counted = after.allocated - before.allocated;
    // A block may be subtracted later than it was freed, during another block's operation: then the
    // difference is meaningless.
    const bool plausible = counted >= static_cast<std::int64_t>(block.bytes);
    handed_out(block.place.device) += plausible ? static_cast<std::uint64_t>(counted) : block.bytes;
    report(block, counted, after);
  }

  template <typename Free>
  void free(void* key, Free free_it) {
    const auto order = in_order();
    const std::optional<CudaBlock> block = blocks_.take(key);
    if (!block) return free_it(block);
    tell(STRATA_MEMORY_FREE, *block);  // before it happens: then another thread may be given the address
    if (!reports_.load() || !counts_) return free_it(block);
    const CudaCount before = count(block->place.device);
    free_it(block);
    const CudaCount after = count(block->place.device);
    report(*block, after.allocated - before.allocated, after);
  }

  void report(const CudaBlock& block, std::int64_t change, const CudaCount& after) {
    if (!reports_.load()) return;
    c10::reportMemoryUsageToProfiler(
        const_cast<void*>(block.address), change, static_cast<std::size_t>(after.allocated),
        static_cast<std::size_t>(after.reserved), {c10::kCUDA, block.place.device});
  }

  void report_reserved(c10::DeviceIndex device) {
    if (!counts_) return;
    const auto reserved = static_cast<std::size_t>(count(device).reserved);
    std::size_t& told = reported_reserved_.at(static_cast<std::size_t>(device));
    if (reserved == told) return;
    told = reserved;
    tell(STRATA_MEMORY_RESERVED, {nullptr, reserved, {device, 0}});
  }

  void tell(std::uint32_t action, const CudaBlock& block, std::uint64_t device_free_bytes = 0) {
    const Emission emission;
    if (!emission) return;
    emission.memory({.struct_size = sizeof(strata_memory_event),
                     .action = action,
                     .device = {.type = STRATA_DEVICE_CUDA, .index = block.place.device},
                     .address = reinterpret_cast<std::uint64_t>(block.address),
                     .bytes = block.bytes,
                     .stream = block.place.stream,
                     .pool = 0,
                     .device_handed_out_bytes = counts_ ? handed_out(block.place.device) : 0,
                     .device_free_bytes = device_free_bytes});
  }

  std::uint64_t free_bytes(c10::DeviceIndex device) {
    try {
      return getMemoryInfo(device).first;
    } catch (const std::exception&) {
      return UINT64_MAX;
    }
  }

  std::uint64_t& handed_out(c10::DeviceIndex device) {
    return handed_out_.at(static_cast<std::size_t>(device));
  }

  const bool counts_;
  std::atomic<bool> reports_{false};
  CudaBlocks blocks_;
  std::recursive_mutex order_;  // guards the members below
  std::array<std::uint64_t, C10_COMPILE_TIME_MAX_GPUS> handed_out_{};
  std::array<std::size_t, C10_COMPILE_TIME_MAX_GPUS> reported_reserved_{};
};

WrappedCudaAllocator* wrapper = nullptr;  // set once; never destroyed

void free_wrapped_block(void* context) {
  wrapper->free_by_deleter(context);
}

// c10 stores the allocator of each kind of device separately from the one used by CUDA functions.
void put(CudaAllocatorSlot& slot, CUDAAllocator* from, CUDAAllocator* to) {
  slot.store(to);
  if (c10::GetAllocator(c10::kCUDA) == from) c10::SetAllocator(c10::kCUDA, to);
}

}  // namespace

bool wrap_cuda_allocator(CudaAllocatorSlot& slot, BlockReports reports) {
  CUDAAllocator* const current = slot.load();
  if (wrapper == nullptr) wrapper = new WrappedCudaAllocator(*current);
  if (current != wrapper && current != &wrapper->wrapped()) return false;
  wrapper->set_reports(reports);
  wrapper->forget_reported();
  if (current != wrapper) put(slot, current, wrapper);
  return true;
}

void unwrap_cuda_allocator(CudaAllocatorSlot& slot) {
  if (wrapper == nullptr || slot.load() != wrapper) return;
  wrapper->set_reports(BlockReports::kNone);
  put(slot, wrapper, &wrapper->wrapped());
}

bool wrapped_cuda_allocator_counts() {
  return wrapper != nullptr && wrapper->counts();
}

}  // namespace strata::torch_source
