// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/profile/context.hpp"

namespace strata::dry_gpu {

std::uint64_t free_addresses_of(ContextPart part) {
  constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
  switch (part) {
    case ContextPart::kKernels:
      return 16 * kMebibyte;
    case ContextPart::kCudnn:
    case ContextPart::kCusolver:
    case ContextPart::kCufft:
      return 336 * kMebibyte;
    case ContextPart::kCublas:
    case ContextPart::kAttention:
    case ContextPart::kNccl:
      break;
  }
  return 0;
}

}  // namespace strata::dry_gpu
