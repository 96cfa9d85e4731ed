// SPDX-License-Identifier: Apache-2.0
// The estimated duration of a piece of work, and the model that gave it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace strata::dry_gpu {

// The account has one sum for each, in this order (strata/dry_gpu.h): append new ones.
enum class Model : std::uint8_t {
  kGemm,         // a library's matrix product: operations or bytes, whichever takes longer
  kElementwise,  // a kernel whose name gives the bytes read and written per element: bytes
  kForeach,      // a kernel over many tensors, in chunks of 65,536 elements: bytes
  kCopy,         // over the bus, or inside a device
  kFill,         // of device memory
  kGrid,         // any other kernel: 16 bytes per thread
};
inline constexpr std::size_t kModels = 6;

struct Estimate {
  std::int64_t ns;
  Model model;
};

}  // namespace strata::dry_gpu
