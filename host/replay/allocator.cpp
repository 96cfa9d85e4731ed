// SPDX-License-Identifier: Apache-2.0
#include "host/replay/allocator.hpp"

#include <c10/core/AllocatorConfig.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <vector>

namespace strata::replay {
namespace {

constexpr c10::DeviceIndex kDevice = 0;
constexpr auto kTotal = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);

void require(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return;
  throw std::runtime_error(fmt::format("{}: {}", doing, cudaGetErrorString(error)));
}

std::uint64_t unsigned_of(std::int64_t count) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0));
}

// As sources/torch packs it: the number that a capture gave, and that of a program's own handle.
c10::MempoolId_t pool_id(std::uint64_t packed) {
  return {packed >> 32, packed & UINT32_MAX};
}

// Another one than the caching allocator has no blocks to tell of, and torch takes it for a mistake of its
// own.
void require_caching(const c10::CachingAllocator::ConfigTokenizer& tokens) {
  for (std::size_t index = 0; index + 2 < tokens.size(); ++index) {
    if (tokens[index] == "backend" && tokens[index + 2] != "native")
      throw std::runtime_error(fmt::format("'{}' is not torch's caching allocator", tokens[index + 2]));
  }
}

void take_settings(const std::string& settings) {
  if (settings.empty()) return;
  require_caching(c10::CachingAllocator::ConfigTokenizer(settings));
  try {
    c10::CachingAllocator::setAllocatorSettings(settings);
  } catch (const std::logic_error&) {  // of std::stoull and std::stod, which name only themselves
    throw std::runtime_error("a number is invalid or too large");
  }
}

}  // namespace

Allocator::Allocator(const std::string& settings) {
  require(cudaSetDevice(kDevice), "the device cannot be used");
  require(cudaFree(nullptr), "the device's context cannot be created");
  // Before the allocator makes a device's: some are read then.
  take_settings(settings);
  allocator_ = c10::cuda::CUDACachingAllocator::get();
  allocator_->init(1);
}

void Allocator::change_settings(const std::string& settings) {
  take_settings(settings);
}

void Allocator::make_streams(const std::set<std::uint64_t>& recorded) {
  std::vector<cudaStream_t> made;
  for (const std::uint64_t stream : recorded) {
    if (stream == 0) continue;  // the default stream is what it is everywhere
    require(cudaStreamCreateWithFlags(&made.emplace_back(), cudaStreamNonBlocking),
            "a stream cannot be created");
  }
  std::ranges::sort(made, std::less<>());
  auto next = made.begin();
  for (const std::uint64_t stream : recorded) streams_[stream] = stream == 0 ? nullptr : *next++;
}

void* Allocator::allocate(std::uint64_t bytes, std::uint64_t stream, std::uint64_t pool) {
  cudaStream_t const on = streams_.at(stream);
  if (pool == 0) return allocator_->raw_alloc_with_stream(bytes, on);
  allocator_->beginAllocateToPool(kDevice, pool_id(pool), [](cudaStream_t) { return true; });
  try {
    void* const block = allocator_->raw_alloc_with_stream(bytes, on);
    allocator_->endAllocateToPool(kDevice, pool_id(pool));
    return block;
  } catch (...) {
    allocator_->endAllocateToPool(kDevice, pool_id(pool));
    throw;
  }
}

void Allocator::free(void* block) {
  allocator_->raw_delete(block);
}

// Each allocation has made it one use.
void Allocator::release_pool(std::uint64_t pool) {
  while (allocator_->getPoolUseCount(kDevice, pool_id(pool)) > 0)
    allocator_->releasePool(kDevice, pool_id(pool));
}

void Allocator::empty_cache() {
  allocator_->emptyCache();
}

Counts Allocator::counts() const {
  const auto stats = allocator_->getDeviceStats(kDevice);
  return {.allocated_bytes = unsigned_of(stats.allocated_bytes[kTotal].current),
          .reserved_bytes = unsigned_of(stats.reserved_bytes[kTotal].current),
          .released_bytes = unsigned_of(stats.reserved_bytes[kTotal].freed),
          .retries = unsigned_of(stats.num_alloc_retries)};
}

std::uint64_t Allocator::device_free_bytes() const {
  std::size_t free = 0, total = 0;
  require(cudaMemGetInfo(&free, &total), "the device does not report its free memory");
  return free;
}

void Allocator::add_to(analysis::ReplayNumbers& numbers) const {
  const auto stats = allocator_->getDeviceStats(kDevice);
  numbers.peak_reserved_bytes = unsigned_of(stats.reserved_bytes[kTotal].peak);
  numbers.device_allocations = unsigned_of(stats.num_device_alloc);
  numbers.device_frees = unsigned_of(stats.num_device_free);
  numbers.retries = unsigned_of(stats.num_alloc_retries);
}

analysis::AllocatorState Allocator::state() const {
  const auto stats = allocator_->getDeviceStats(kDevice);
  analysis::AllocatorState state;
  state.allocated_bytes = unsigned_of(stats.allocated_bytes[kTotal].current);
  state.reserved_bytes = unsigned_of(stats.reserved_bytes[kTotal].current);
  state.inactive_split_bytes = unsigned_of(stats.inactive_split_bytes[kTotal].current);
  for (const auto& segment : allocator_->snapshot({0, 0}, false).segments) {
    for (const auto& block : segment.blocks) {
      if (!block.active)
        state.largest_free_bytes = std::max<std::uint64_t>(state.largest_free_bytes, block.size);
    }
  }
  return state;
}

}  // namespace strata::replay
