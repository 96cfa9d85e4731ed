// SPDX-License-Identifier: Apache-2.0
// CUDA's per-thread state.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dry_gpu/cuda_api.hpp"
#include "dry_gpu/device/kernels/conditions.hpp"

namespace strata::dry_gpu {

struct LaunchConfiguration {
  dim3 grid, block;
  std::size_t shared_bytes;
  cudaStream_t stream;
};

struct ThreadState {
  // strata_dry_gpu_expect_split; size 0: unknown.
  struct Split {
    int rank = 0, size = 0;
  };

  int device = 0;
  std::vector<int> pushed_devices;  // by cuCtxPushCurrent
  cudaError_t last_error = cudaSuccess;
  cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
  std::vector<LaunchConfiguration> launches;  // between <<<...>>> and the call of the kernel's stub
  Conditions conditions;
  Split expected_split;
  std::optional<std::uint64_t> expected_count;  // strata_dry_gpu_expect_count
};

inline ThreadState& this_thread() {
  thread_local ThreadState state;
  return state;
}

}  // namespace strata::dry_gpu
