// SPDX-License-Identifier: Apache-2.0
// What is known of a device: the numbers that programs ask it for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dry_gpu/clock/settings.hpp"
#include "dry_gpu/device/context.hpp"
#include "dry_gpu/device/profile/answers.hpp"

namespace strata::dry_gpu {

// Read from configs/devices/*.yaml, where each number has its source.
struct DeviceProfile {
  std::string key;   // "h100-80gb"
  std::string name;  // as the driver tells it: "NVIDIA H100 80GB HBM3"

  std::uint64_t memory_bytes = 0;   // what cudaMemGetInfo calls the total
  std::uint64_t context_bytes = 0;  // of it taken by a process that uses the device, when its context is made
  ContextPartProfiles context_parts;  // and what its context takes later

  std::uint32_t compute_major = 0, compute_minor = 0;
  int architecture() const { return static_cast<int>(10 * compute_major + compute_minor); }
  std::uint32_t multiprocessors = 0;
  std::uint32_t threads_per_multiprocessor = 0;
  std::uint32_t blocks_per_multiprocessor = 0;
  std::uint64_t shared_bytes_per_multiprocessor = 0;
  std::uint64_t shared_bytes_per_block_optin = 0;
  std::uint64_t l2_bytes = 0;

  std::uint32_t memory_bus_bits = 0;
  std::uint32_t memory_clock_khz = 0;
  std::uint32_t clock_khz = 0;

  // Peak rates, for the modelled clock alone: 10^9 bytes and 10^12 operations a second. 0: no such mode.
  double memory_gb_per_s = 0;
  double fp32_tflops = 0, tf32_tflops = 0, fp16_tflops = 0, bf16_tflops = 0, fp8_tflops = 0;
};

// The devices of one process.
struct MachineProfile {
  DeviceProfile device;  // all are of one kind
  std::uint32_t devices = 1;
  // What each query of cuSOLVER for a workspace answers, since its documentation names no sizes. May be left
  // out: 0, what a fitted formula says (cusolver/fitted_sizes.hpp), and the least without one.
  std::uint32_t cusolver_workspace_bytes = 0;
  // Addresses of each device, used or not; half of them are its memory pool's. More than `memory_bytes`,
  // because a block needs addresses in one piece where a device finds its pages anywhere, and segments that
  // grow reserve an eighth more than the device has, twice a stream: of the largest card, for seven streams.
  std::uint64_t span_bytes = std::uint64_t{1} << 44;
  // Of copies to a device, up to which size their bytes are kept (device/memory/contents.hpp).
  std::uint64_t contents_bytes = std::uint64_t{64} << 10;
  // What each convolution of cuDNN asks for beside its tensors, since its documentation names no sizes: the
  // least.
  std::uint64_t cudnn_workspace_bytes = 0;
  // Whether the real cuDNN is asked for these ("cudnn_workspaces asked", else "off"): where that can be done
  // and cudnn_workspace_bytes says no size (cudnn/real/real_cudnn.hpp).
  bool asks_cudnn = false;
  // What each of NCCL's communicators takes of its device, which is not documented either.
  std::uint64_t nccl_memory_bytes = 0;
  ClockSettings clock;
  std::vector<Answer> answers;
};

// One "key value" a line, '#' begins a comment: the form in which a launcher hands a profile to a process.
// Throws std::invalid_argument that names the line; a key that is unknown or given twice is an error, and
// so is one that is missing, but for contents_bytes, nccl_memory_bytes, those of workspaces, of a context's
// parts ("context_kernels_bytes", "context_kernels_after"), rates and the clock's ("clock modelled" turns it
// on, and needs the rates). Besides, a line "answer <what parse_answer takes>" for each answer.
MachineProfile parse_profile(std::string_view text);
std::string profile_text(const MachineProfile& profile);

}  // namespace strata::dry_gpu
