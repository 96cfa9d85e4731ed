// SPDX-License-Identifier: Apache-2.0
// torch's CUDA caching allocator of this process, on its first device, as a replay uses it.
#pragma once

#include <c10/cuda/CUDACachingAllocator.h>
#include <cuda_runtime_api.h>

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>

#include "host/analysis/allocator/replay.hpp"

namespace strata::replay {

// Current values, as the allocator counts them.
struct Counts {
  std::uint64_t allocated_bytes = 0, reserved_bytes = 0, released_bytes = 0, retries = 0;
};

class Allocator {
 public:
  // Takes `settings`, as PYTORCH_CUDA_ALLOC_CONF has them. Throws c10::Error and std::runtime_error with what
  // is wrong with the settings, and the latter when the device cannot be had.
  explicit Allocator(const std::string& settings);

  // Which stand for the recorded ones. Handles are in the same order, in which the allocator walks over its
  // blocks.
  void make_streams(const std::set<std::uint64_t>& recorded);

  // On the stream that stands for the recorded one, from the private pool of that number unless it is 0.
  // Throws c10::OutOfMemoryError.
  void* allocate(std::uint64_t bytes, std::uint64_t stream, std::uint64_t pool);
  void free(void* block);
  void empty_cache();

  Counts counts() const;
  std::uint64_t device_free_bytes() const;
  // Sets what the allocator counts since the process began.
  void add_to(analysis::ReplayNumbers& numbers) const;
  // Walks over all blocks.
  analysis::AllocatorState state() const;

 private:
  c10::cuda::CUDACachingAllocator::CUDAAllocator* allocator_ = nullptr;
  std::unordered_map<std::uint64_t, cudaStream_t> streams_;  // by recorded handle
};

}  // namespace strata::replay
