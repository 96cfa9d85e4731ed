#include "sources/torch/cuda_allocator.hpp"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAMacros.h>
#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>

#include "sources/torch/host_link.hpp"

namespace strata::torch_source {
namespace {

namespace caching = c10::cuda::CUDACachingAllocator;
using caching::TraceEntry;

constexpr std::uint32_t kNotTold = 0;

caching::CUDAAllocator* traced = nullptr;  // set once, before it calls us

// Found by name in a process that has loaded CUDA's half of torch, and not linked: a run on the CPU loads
// nothing of CUDA.
caching::CUDAAllocator* cuda_allocator() {
  static constexpr const char* kVariable = "_ZN3c104cuda20CUDACachingAllocator9allocatorE";
  void* const library = dlopen("libc10_cuda.so", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  // A program that names the variable itself has a copy of it, which the library then uses in place of its
  // own.
  void* found = dlsym(RTLD_DEFAULT, kVariable);
  if (found == nullptr) found = dlsym(library, kVariable);
  const auto* const allocator = static_cast<const std::atomic<caching::CUDAAllocator*>*>(found);
  return allocator == nullptr ? nullptr : allocator->load();
}

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
      return kNotTold;
  }
}

// Pools that a capture made have the first number, those of a program's own handle the second.
std::uint64_t pool_of(const c10::MempoolId_t& pool) {
  return pool.first << 32 | pool.second;
}

void tell(const TraceEntry& entry, std::uint32_t action, std::uint64_t address, std::uint64_t bytes) {
  const Emission emission;
  if (!emission) return;
  // The lock that we are called under may be taken again by its thread.
  const auto stats = traced->getDeviceStats(entry.device_);
  const auto total = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  // Of an allocation that failed, torch has the device's free bytes in the address's place.
  const bool failed = action == STRATA_MEMORY_OUT_OF_MEMORY;
  emission.memory(
      {.struct_size = sizeof(strata_memory_event),
       .action = action,
       .device = {.type = STRATA_DEVICE_CUDA, .index = entry.device_},
       .address = address,
       .bytes = bytes,
       .stream = reinterpret_cast<std::uint64_t>(entry.stream_),
       .pool = pool_of(entry.mempool_),
       .device_handed_out_bytes = static_cast<std::uint64_t>(stats.allocated_bytes[total].allocated),
       .device_free_bytes = failed ? entry.addr_ : 0});
}

// A free that waits for no stream is completed under the same lock, as the device's next event. That goes
// without saying; whatever else comes next says that the free was deferred.
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

void tell_traced(const TraceEntry& entry) {
  const std::uint32_t action = action_of(entry.action_);
  if (goes_without_saying(entry) || action == kNotTold) return;
  const bool has_address = action != STRATA_MEMORY_OUT_OF_MEMORY;
  tell(entry, action, has_address ? entry.addr_ : 0, entry.size_);
}

}  // namespace

std::string trace_cuda_allocator() {
  if (traced != nullptr) return {};  // what is attached stays
  caching::CUDAAllocator* const allocator = cuda_allocator();
  if (allocator == nullptr || !allocator->initialized()) return {};
  if (allocator->name() != "native") {
    return "torch's CUDA allocator here is '" + allocator->name() +
           "', which tells nobody of its blocks: this run shows no CUDA memory. Unset backend: in "
           "PYTORCH_CUDA_ALLOC_CONF to see it.";
  }
  traced = allocator;
  allocator->attachAllocatorTraceTracker(&tell_traced);
  return {};
}

}  // namespace strata::torch_source
