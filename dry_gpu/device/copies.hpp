// SPDX-License-Identifier: Apache-2.0
// Copies and fills, as far as the host can see them: bytes that the host put there are read unchanged, bytes
// that a device would have computed are read as zeros and counted.
#pragma once

#include <cstddef>

#include "dry_gpu/device/machine.hpp"

namespace strata::dry_gpu {

// Copies `bytes` from `source` to `target`, each on the host or on any device. cudaErrorInvalidValue: one of
// them has a device address without memory, or the direction does not match `kind`.
cudaError_t copy(Machine& machine, CUstream_st& stream, void* target, const void* source, std::size_t bytes,
                 cudaMemcpyKind kind);

// Rows of `width` bytes.
struct Rows {
  std::size_t width, height, target_pitch, source_pitch;
};
cudaError_t copy_rows(Machine& machine, CUstream_st& stream, void* target, const void* source,
                      const Rows& rows, cudaMemcpyKind kind);

cudaError_t fill(Machine& machine, CUstream_st& stream, void* target, int value, std::size_t bytes);

}  // namespace strata::dry_gpu
