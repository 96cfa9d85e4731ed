// SPDX-License-Identifier: Apache-2.0
// The size of a transform's work area. NVIDIA documents some algorithms but no sizes, and cuFFT cannot be
// asked without a device. This formula is fitted to the requests of torch.fft on an H200 (cuFFT of CUDA 13.0,
// single precision, tests/data/card-h200/workspaces.jsonl; decision 034). Every measured size but one kind is
// reproduced to the byte. It was not measured which lengths between 4,096 and 4,194,304 need a work area.
#pragma once

#include <cstdint>
#include <span>

namespace strata::dry_gpu::fitted {

struct Transform {
  std::span<const long long> lengths;  // from the outermost dimension to the innermost, each at least 1
  long long batch = 1;                 // at least 1
  bool is_real = false;                // on one side, where the innermost dimension is halved
  std::uint64_t complex_bytes = 8;     // per complex value
};

// In bytes. `shared_bytes` is the shared memory available to a thread block: a transform that fits into it is
// one kernel, which needs no memory between passes. On overflow, the largest number.
std::uint64_t work_area_bytes(const Transform& transform, std::uint64_t shared_bytes);

}  // namespace strata::dry_gpu::fitted
