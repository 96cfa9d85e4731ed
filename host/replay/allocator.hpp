// SPDX-License-Identifier: Apache-2.0
// torch's CUDA caching allocator in this process, on its first device, as used by a replay.
#pragma once

#include <c10/cuda/CUDACachingAllocator.h>
#include <cuda_runtime_api.h>

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>

#include "host/analysis/allocator/replay.hpp"

namespace strata::replay {

// Current values, from the allocator's own counts.
struct Counts {
  std::uint64_t allocated_bytes = 0, reserved_bytes = 0, released_bytes = 0, retries = 0;
};

class Allocator {
 public:
  // Applies `settings`, in the format of PYTORCH_CUDA_ALLOC_CONF. Throws c10::Error and std::runtime_error if
  // the settings are invalid, and the latter if the device is not available.
  explicit Allocator(const std::string& settings);

  // Creates streams that replace the recorded ones. Their handles have the same order, which is the order in
  // which the allocator visits its blocks.
  void make_streams(const std::set<std::uint64_t>& recorded);

  // As the program did while it ran. Throws like the constructor.
  void change_settings(const std::string& settings);

  // On the stream that replaces the recorded one, from the private pool of that number unless it is 0. Throws
  // c10::OutOfMemoryError.
  void* allocate(std::uint64_t bytes, std::uint64_t stream, std::uint64_t pool);
  void free(void* block);
  // The program uses the private pool no longer: it goes once its blocks are free and the cache is emptied.
  void release_pool(std::uint64_t pool);
  void empty_cache();

  Counts counts() const;
  std::uint64_t device_free_bytes() const;
  // Sets the allocator's counts since the process began.
  void add_to(analysis::ReplayNumbers& numbers) const;
  // Visits all blocks.
  analysis::AllocatorState state() const;

 private:
  c10::cuda::CUDACachingAllocator::CUDAAllocator* allocator_ = nullptr;
  std::unordered_map<std::uint64_t, cudaStream_t> streams_;  // by recorded handle
};

}  // namespace strata::replay
