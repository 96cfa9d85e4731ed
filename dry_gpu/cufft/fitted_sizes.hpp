// SPDX-License-Identifier: Apache-2.0
// How large the work area of a transform is. NVIDIA documents some algorithms but no sizes, and cuFFT cannot
// be asked without a device: this formula is fitted to what torch.fft asked an H200 for (cuFFT of CUDA 13.0,
// single precision, tests/data/card-h200/workspaces.jsonl; decision 034). Every measured size but one kind
// comes out to the byte; which lengths between 4,096 and 4,194,304 need a work area was not measured.
#pragma once

#include <cstdint>
#include <span>

namespace strata::dry_gpu::fitted {

struct Transform {
  std::span<const long long> lengths;  // from the outermost dimension to the innermost, each at least 1
  long long batch = 1;                 // at least 1
  bool is_real = false;                // on one side: the innermost dimension is halved there
  std::uint64_t complex_bytes = 8;     // of one complex value
};

// In bytes. `shared_bytes` is the shared memory that a block of threads can have: a transform that fits it is
// one kernel, which needs no memory between its passes. Too many bytes for a number are its largest.
std::uint64_t work_area_bytes(const Transform& transform, std::uint64_t shared_bytes);

}  // namespace strata::dry_gpu::fitted
