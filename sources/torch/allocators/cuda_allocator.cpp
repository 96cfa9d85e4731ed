// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/allocators/cuda_allocator.hpp"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAMacros.h>

#include <array>
#include <cstdint>
#include <utility>

#include "sources/torch/allocators/allocator_settings.hpp"
#include "sources/torch/allocators/cuda_allocator_slot.hpp"
#include "sources/torch/allocators/cuda_workspaces.hpp"
#include "sources/torch/allocators/wrapped_cuda_allocator.hpp"
#include "sources/torch/host/host_link.hpp"

namespace strata::torch_source {
namespace {

namespace caching = c10::cuda::CUDACachingAllocator;
using caching::TraceEntry;

constexpr std::uint32_t kNotReported = 0;

caching::CUDAAllocator* traced = nullptr;  // set once, before it calls us

std::uint32_t action_of(TraceEntry::Action action) {
  switch (action) {
    case TraceEntry::ALLOC:
      return STRATA_MEMORY_ALLOCATE;
    case TraceEntry::FREE_REQUESTED:
      return STRATA_MEMORY_FREE;
    case TraceEntry::FREE_COMPLETED:
      return STRATA_MEMORY_FREE_COMPLETED;
    case TraceEntry::SEGMENT_ALLOC:
    case TraceEntry::SEGMENT_MAP:
      return STRATA_MEMORY_SEGMENT_ALLOCATE;
    case TraceEntry::SEGMENT_FREE:
    case TraceEntry::SEGMENT_UNMAP:
      return STRATA_MEMORY_SEGMENT_FREE;
    case TraceEntry::OOM:
      return STRATA_MEMORY_OUT_OF_MEMORY;
    default:
      return kNotReported;
  }
}

// Pools that a capture made have the first number, those of a program's own handle the second.
std::uint64_t pool_of(const c10::MempoolId_t& pool) {
  return pool.first << 32 | pool.second;
}

// The total bytes handed out by each device's allocator, each under its device's lock. Reading it copies all
// statistics, so it is only read if a block was handed out since.
struct HandedOut {
  std::uint64_t bytes = 0;
  bool is_known = false;
};
std::array<HandedOut, C10_COMPILE_TIME_MAX_GPUS> handed_out{};

std::uint64_t handed_out_bytes(c10::DeviceIndex device) {
  HandedOut& known = handed_out.at(static_cast<std::size_t>(device));
  if (!known.is_known) {
    // The lock that we are called under may be taken again by its thread.
    const auto stats = traced->getDeviceStats(device);
    const auto total = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
    known = {static_cast<std::uint64_t>(stats.allocated_bytes[total].allocated), true};
  }
  return known.bytes;
}

void tell(const TraceEntry& entry, std::uint32_t action, std::uint64_t address, std::uint64_t bytes) {
  const Emission emission;
  if (!emission || !emission.wanted(STRATA_INTEREST_MEMORY)) return;
  const bool is_segment = action == STRATA_MEMORY_SEGMENT_ALLOCATE || action == STRATA_MEMORY_SEGMENT_FREE;
  if (is_segment || action == STRATA_MEMORY_ALLOCATE) note_allocator_settings(entry.device_, is_segment);
  // For a failed allocation, torch puts the device's free bytes in place of the address.
  const bool failed = action == STRATA_MEMORY_OUT_OF_MEMORY;
  emission.memory({.struct_size = sizeof(strata_memory_event),
                   .action = action,
                   .device = {.type = STRATA_DEVICE_CUDA, .index = entry.device_},
                   .address = address,
                   .bytes = bytes,
                   .stream = reinterpret_cast<std::uint64_t>(entry.stream_),
                   .pool = pool_of(entry.mempool_),
                   .device_handed_out_bytes = handed_out_bytes(entry.device_),
                   .device_free_bytes = failed ? entry.addr_ : 0});
}

// A free that does not wait for a stream is completed under the same lock, as the device's next event. That
// is not reported; any other next event means that the free was deferred.
bool goes_without_saying(const TraceEntry& entry) {
  static std::array<std::size_t, C10_COMPILE_TIME_MAX_GPUS> requested{};  // each under its device's lock
  std::size_t& last = requested.at(static_cast<std::size_t>(entry.device_));
  const std::size_t freed =
      std::exchange(last, entry.action_ == TraceEntry::FREE_REQUESTED ? entry.addr_ : 0);
  if (freed == 0) return false;
  if (entry.action_ == TraceEntry::FREE_COMPLETED && entry.addr_ == freed) return true;
  tell(entry, STRATA_MEMORY_FREE_DEFERRED, freed, 0);
  return false;
}

void report_traced(const TraceEntry& entry) {
  const std::uint32_t action = action_of(entry.action_);
  if (goes_without_saying(entry) || action == kNotReported) return;
  const bool has_address = action != STRATA_MEMORY_OUT_OF_MEMORY;
  tell(entry, action, has_address ? entry.addr_ : 0, entry.size_);
  if (action == STRATA_MEMORY_ALLOCATE)
    handed_out.at(static_cast<std::size_t>(entry.device_)).is_known = false;
}

}  // namespace

TracedCuda trace_cuda_allocator(bool reports) {
  if (traced != nullptr) return {CudaTracing::kItself, traced->name(), {}};  // attached callbacks stay
  CudaAllocatorSlot* const slot = cuda_allocator_slot();
  caching::CUDAAllocator* const allocator = slot == nullptr ? nullptr : slot->load();
  if (allocator == nullptr || !allocator->initialized()) return {};
  const std::string name = allocator->name();
  if (name == "native") {
    traced = allocator;
    allocator->attachAllocatorTraceTracker(&report_traced);
    // Called without the device's lock, and before the exception frees anything.
    allocator->attachOutOfMemoryObserver([](const auto&...) { report_cuda_workspaces(); });
    return {CudaTracing::kItself, name, {}};
  }
  if (!wrap_cuda_allocator(*slot, reports ? BlockReports::kToC10 : BlockReports::kNone)) {
    return {CudaTracing::kRefused, name,
            "torch's CUDA allocator '" + name +
                "' was installed after another one had been traced in this process: this run shows no CUDA "
                "memory. Choose the allocator before the first run."};
  }
  return {wrapped_cuda_allocator_counts() ? CudaTracing::kCounted : CudaTracing::kUncounted, name, {}};
}

void restore_cuda_allocator() {
  if (CudaAllocatorSlot* const slot = cuda_allocator_slot(); slot != nullptr) unwrap_cuda_allocator(*slot);
}

}  // namespace strata::torch_source
