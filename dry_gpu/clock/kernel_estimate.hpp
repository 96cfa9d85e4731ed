// SPDX-License-Identifier: Apache-2.0
// How long a kernel takes, from its name, its grid and its first argument.
#pragma once

#include "dry_gpu/clock/kernel_shape.hpp"
#include "dry_gpu/clock/roofline.hpp"
#include "dry_gpu/cuda_api.hpp"

namespace strata::dry_gpu {

// `arguments`: as cudaLaunchKernel has them; null: they are not known, and the grid decides.
Estimate kernel_estimate(const Roofline& roofline, const KernelShape& shape, const dim3& grid,
                         const dim3& block, void** arguments);

}  // namespace strata::dry_gpu
