// SPDX-License-Identifier: Apache-2.0
// What a kernel does to single numbers in device memory, as far as its name and arguments show it.
//
// PyTorch counts steps in tensors of one element: an optimizer's `step`, BatchNorm's `num_batches_tracked`,
// counters of the program. Few kernels touch them, and fewer change them: fills, and sums and products with a
// number of the host. docs/decisions/012-values-on-the-dry-gpu.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "dry_gpu/device/memory/address_space.hpp"
#include "dry_gpu/device/memory/computation.hpp"

namespace strata::dry_gpu {

// `mangled` may be empty, and `arguments` null. Null: it may write anywhere.
std::shared_ptr<const KernelEffect> kernel_effect(std::string_view mangled, std::uint32_t blocks,
                                                  void** arguments, const AddressSpace& space);

}  // namespace strata::dry_gpu
