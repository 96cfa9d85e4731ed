// SPDX-License-Identifier: Apache-2.0
// A context takes more memory than at its creation: the code of the first kernel, and of each library at its
// first use, is also loaded into the device's memory and stays there
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

// The parts that a program can use, in the order of `kContextPartNames`.
enum class ContextPart : std::uint8_t {
  kKernels,    // its first kernel
  kCublas,     // a handle of cuBLAS or cuBLASLt
  kCudnn,      // a handle of cuDNN
  kCusolver,   // a handle of cuSOLVER
  kCufft,      // a plan of cuFFT
  kAttention,  // a kernel of PyTorch's flash attention
  kNccl,       // a communicator of NCCL, in addition to the memory of each
};
inline constexpr std::size_t kContextParts = 7;
inline constexpr std::array<std::string_view, kContextParts> kContextPartNames = {
    "kernels", "cublas", "cudnn", "cusolver", "cufft", "attention", "nccl"};

// The part that allocations can use of the whole 32 MiB of addresses that the driver reserves for a context
// part, according to allocator events on an H200 (decision 031).
std::uint64_t free_addresses_of(ContextPart part);

// When a part is taken: when the program first uses it, or after this many calls for the device's memory,
// which is how a recorded program used it.
inline constexpr std::uint64_t kWhenTouched = std::numeric_limits<std::uint64_t>::max();

struct ContextPartProfile {
  std::uint64_t bytes = 0;
  std::uint64_t after_calls = kWhenTouched;
};
using ContextPartProfiles = std::array<ContextPartProfile, kContextParts>;

// The parts that a device's context has.
struct ContextParts {
  std::array<std::atomic<bool>, kContextParts> is_taken{};
  std::mutex mutex;  // for threads that take a part
};

}  // namespace strata::dry_gpu
