// SPDX-License-Identifier: Apache-2.0
// A context is more than what it takes when it is made: the code of the first kernel, and of each library at
// its first use, goes into the device's memory as well, and stays there
// (docs/decisions/032-a-context-in-parts.md).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string_view>

namespace strata::dry_gpu {

// What a program touches, in the order of `kContextPartNames`.
enum class ContextPart : std::uint8_t {
  kKernels,    // its first kernel
  kCublas,     // a handle of cuBLAS or cuBLASLt
  kCudnn,      // a handle of cuDNN
  kCusolver,   // a handle of cuSOLVER
  kCufft,      // a plan of cuFFT
  kAttention,  // a kernel of PyTorch's flash attention
  kNccl,       // a communicator of NCCL, beside what each takes
};
inline constexpr std::size_t kContextParts = 7;
inline constexpr std::array<std::string_view, kContextParts> kContextPartNames = {
    "kernels", "cublas", "cudnn", "cusolver", "cufft", "attention", "nccl"};

// Of the whole 32 MiB that the driver reserves addresses in for a part, what allocations find free: as the
// allocator's events on an H200 tell (decision 031).
std::uint64_t free_addresses_of(ContextPart part);

// When a part is taken: when the program touches it, or after so many calls for the device's memory, which is
// how a recorded program touched it.
inline constexpr std::uint64_t kWhenTouched = std::numeric_limits<std::uint64_t>::max();

struct ContextPartProfile {
  std::uint64_t bytes = 0;
  std::uint64_t after_calls = kWhenTouched;
};
using ContextPartProfiles = std::array<ContextPartProfile, kContextParts>;

// Which parts a device's context has.
struct ContextParts {
  std::array<std::atomic<bool>, kContextParts> is_taken{};
  std::mutex mutex;  // of those who take one
};

}  // namespace strata::dry_gpu
