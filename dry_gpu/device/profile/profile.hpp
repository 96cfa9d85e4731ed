// SPDX-License-Identifier: Apache-2.0
// The description of a device: the numbers that programs query.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dry_gpu/clock/settings.hpp"
#include "dry_gpu/device/profile/answers.hpp"
#include "dry_gpu/device/profile/context.hpp"

namespace strata::dry_gpu {

// Read from configs/devices/*.yaml, where each number has its source.
struct DeviceProfile {
  std::string key;   // "h100-80gb"
  std::string name;  // as reported by the driver: "NVIDIA H100 80GB HBM3"

  std::uint64_t memory_bytes = 0;     // the total of cudaMemGetInfo
  std::uint64_t context_bytes = 0;    // taken when a process that uses the device creates its context
  ContextPartProfiles context_parts;  // memory that the context takes later

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

  // Peak rates, used only by the modelled clock: 10^9 bytes and 10^12 operations per second. 0: no such mode.
  double memory_gb_per_s = 0;
  double fp32_tflops = 0, tf32_tflops = 0, fp16_tflops = 0, bf16_tflops = 0, fp8_tflops = 0;
};

// The devices of one process.
struct MachineProfile {
  DeviceProfile device;  // all devices are of one kind
  std::uint32_t devices = 1;
  // The answer to each cuSOLVER workspace query, because its documentation has no sizes. Optional: if 0, the
  // size is that of a fitted formula (cusolver/fitted_sizes.hpp), or the minimum without one.
  std::uint32_t cusolver_workspace_bytes = 0;
  // The address space of each device, used or not; half of it belongs to its memory pool. It is larger than
  // `memory_bytes`, because a block needs contiguous addresses where a device can use any pages, and growing
  // segments reserve an eighth more than the device has, twice per stream: enough for seven streams of the
  // largest card.
  std::uint64_t span_bytes = std::uint64_t{1} << 44;
  // Copies to a device of up to this size keep their bytes (device/memory/contents.hpp).
  std::uint64_t contents_bytes = std::uint64_t{64} << 10;
  // The memory that each cuDNN convolution requests in addition to its tensors. Its documentation has no
  // sizes: by default the minimum.
  std::uint64_t cudnn_workspace_bytes = 0;
  // Whether the real cuDNN is asked for these ("cudnn_workspaces asked", else "off"), if that is possible and
  // cudnn_workspace_bytes has no size (cudnn/real_cudnn.hpp).
  bool asks_cudnn = false;
  // The device memory of each NCCL communicator, which is not documented either.
  std::uint64_t nccl_memory_bytes = 0;
  ClockSettings clock;
  std::vector<Answer> answers;
};

// One "key value" per line; '#' begins a comment. This is how a launcher passes a profile to a process.
// Throws std::invalid_argument that names the line. A key must not be unknown or given twice, and only these
// may be missing: contents_bytes, nccl_memory_bytes, keys of workspaces, of a context's parts
// ("context_kernels_bytes", "context_kernels_after"), of rates and of the clock ("clock modelled" enables it,
// and requires the rates). In addition, each answer has a line "answer <what parse_answer takes>".
MachineProfile parse_profile(std::string_view text);
std::string profile_text(const MachineProfile& profile);

}  // namespace strata::dry_gpu
