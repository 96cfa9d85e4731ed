// SPDX-License-Identifier: Apache-2.0
// How long a piece of work is said to take, and by which of the models.
#pragma once

#include <cstddef>
#include <cstdint>

namespace strata::dry_gpu {

// The account has one sum for each, in this order (strata/dry_gpu.h): a new one goes to the end.
enum class Model : std::uint8_t {
  kGemm,         // a matrix product of a library: operations or bytes, whichever takes longer
  kElementwise,  // a kernel whose name tells what it reads and writes an element: bytes
  kForeach,      // one over many tensors at once, in chunks of 65,536 elements: bytes
  kCopy,         // over the bus, or within a device
  kFill,         // of a device's memory
  kGrid,         // any other kernel: 16 bytes a thread
};
inline constexpr std::size_t kModels = 6;

struct Estimate {
  std::int64_t ns;
  Model model;
};

}  // namespace strata::dry_gpu
