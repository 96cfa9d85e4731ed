// SPDX-License-Identifier: Apache-2.0
// Channel descriptions. Arrays and textures themselves are not implemented.
#include "dry_gpu/cuda_api.hpp"

// Unchecked, as in the real library.
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {.x = x, .y = y, .z = z, .w = w, .f = kind};
}
