// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/allocator/allocator_calls.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>
#include <utility>

#include "host/analysis/allocator/caching_allocator.hpp"
#include "host/analysis/recording/recording.hpp"
#include "strata/ext/memory.h"

namespace strata::analysis {
namespace {

using Kind = AllocatorCallKind;

class CallStream {
 public:
  explicit CallStream(const Recording& run) : events_(run.allocator_events), whole_(run.allocator_events) {
    use_whole_blocks(whole_);
    stream_.calls.reserve(events_.size());
  }

  AllocatorCalls finish() && {
    for (std::size_t row = 0; row < events_.size(); ++row) take(row);
    if (released_ > 0) empty_cache(events_.size() - 1);
    const bool ends_in_guess = !events_.empty() && events_.back().action == STRATA_MEMORY_ALLOCATE;
    stream_.known = stream_.calls.size() - (ends_in_guess ? 1 : 0);
    return std::move(stream_);
  }

 private:
  void take(std::size_t row) {
    const MemoryRow& event = events_[row];
    switch (event.action) {
      case STRATA_MEMORY_SEGMENT_ALLOCATE:
        reserved_ += event.bytes;
        taken_ += event.bytes;
        stream_.peak_reserved_bytes = std::max(stream_.peak_reserved_bytes, reserved_);
        return;
      case STRATA_MEMORY_SEGMENT_FREE:
        reserved_ -= std::min(reserved_, event.bytes);
        released_ += event.bytes;
        if (event.pool != 0) released_pools_.insert(event.pool);
        return;
      case STRATA_MEMORY_ALLOCATE:
        return allocate(row);
      case STRATA_MEMORY_FREE:
        return free(row);
      case STRATA_MEMORY_FREE_DEFERRED:
        return defer(row);
      case STRATA_MEMORY_FREE_COMPLETED:
        return complete(row);
      case STRATA_MEMORY_OUT_OF_MEMORY:
        if (released_ > 0) maybe_empty(row);
        return add(Kind::kRunOutAgain, row);
      default:
        return;
    }
  }

  // An allocation gives segments back only to take a new one: where it took none, the program did.
  void allocate(std::size_t row) {
    if (released_ > 0 && taken_ == 0) empty_cache(row);
    if (released_ > 0) maybe_empty(row);
    const std::uint64_t bytes = whole_[row].bytes;
    if (const auto [block, is_new] = live_.try_emplace(events_[row].address, bytes); !is_new) {
      allocated_ -= std::exchange(block->second, bytes);  // its free is missing
    }
    allocated_ += bytes;
    stream_.peak_allocated_bytes = std::max(stream_.peak_allocated_bytes, allocated_);
    add(Kind::kAllocate, row);
  }

  void free(std::size_t row) {
    if (released_ > 0) empty_cache(row);
    const auto block = live_.find(events_[row].address);
    if (block == live_.end()) return;  // older than the recording
    allocated_ -= block->second;
    freed_.insert_or_assign(block->first, stream_.calls.size());
    live_.erase(block);
    add(Kind::kFree, row);
  }

  void defer(std::size_t row) {
    const auto freed = freed_.find(events_[row].address);
    if (freed != freed_.end()) stream_.calls[freed->second].kind = Kind::kFreeLater;
  }

  void complete(std::size_t row) {
    const auto freed = freed_.find(events_[row].address);
    if (freed != freed_.end() && stream_.calls[freed->second].kind == Kind::kFreeLater)
      add(Kind::kFreeNow, row);
  }

  // For the segments freed since the last call.
  AllocatorCall emptied(Kind kind, std::size_t row) {
    return {.kind = kind,
            .sequence = events_[row].sequence,
            .address = 0,
            .bytes = std::exchange(released_, 0),
            .stream = 0,
            .pool = 0,
            .event = row,
            .allocated_bytes = allocated_,
            .reserved_bytes = reserved_ - taken_};
  }
  void empty_cache(std::size_t row) {
    for (const std::uint64_t pool : std::exchange(released_pools_, {})) {
      stream_.calls.push_back({.kind = Kind::kReleasePool,
                               .sequence = events_[row].sequence,
                               .address = 0,
                               .bytes = 0,
                               .stream = 0,
                               .pool = pool,
                               .event = row,
                               .allocated_bytes = allocated_,
                               .reserved_bytes = reserved_});
    }
    stream_.calls.push_back(emptied(Kind::kEmptyCache, row));
  }

  // Before the frees that may have been completed to make room for the allocation.
  void maybe_empty(std::size_t row) {
    auto place = stream_.calls.end();
    while (place != stream_.calls.begin() && std::prev(place)->kind == Kind::kFreeNow) --place;
    stream_.calls.insert(place, emptied(Kind::kMaybeEmpty, row));
    released_pools_.clear();
  }

  void add(Kind kind, std::size_t row) {
    const MemoryRow& event = events_[row];
    stream_.calls.push_back({.kind = kind,
                             .sequence = event.sequence,
                             .address = event.address,
                             .bytes = event.bytes,
                             .stream = event.stream,
                             .pool = event.pool,
                             .event = row,
                             .allocated_bytes = allocated_,
                             .reserved_bytes = reserved_});
    taken_ = 0;
  }

  const std::vector<MemoryRow>& events_;
  std::vector<MemoryRow> whole_;  // with the block size in place of the requested size
  AllocatorCalls stream_;
  std::unordered_map<std::uint64_t, std::uint64_t> live_;  // bytes, by address
  std::unordered_map<std::uint64_t, std::size_t> freed_;   // the last free of an address, a call
  std::uint64_t allocated_ = 0, reserved_ = 0;
  std::uint64_t released_ = 0, taken_ = 0;  // of segments since the last call
  std::set<std::uint64_t> released_pools_;  // private ones, among the released segments
};

}  // namespace

bool has_caching_allocator(const Recording& run) {
  const CudaTracing tracing = run.cuda_allocator.tracing;
  return run.device.type == STRATA_DEVICE_CUDA &&
         (tracing == CudaTracing::kItself || tracing == CudaTracing::kUnknown);
}

AllocatorCalls allocator_calls(const Recording& run) {
  return CallStream(run).finish();
}

}  // namespace strata::analysis
