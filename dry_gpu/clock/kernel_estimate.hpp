// SPDX-License-Identifier: Apache-2.0
// Estimates the duration of a kernel from its name, its grid and its first argument.
#pragma once

#include "dry_gpu/clock/kernel_shape.hpp"
#include "dry_gpu/clock/roofline.hpp"
#include "dry_gpu/cuda_api.hpp"

namespace strata::dry_gpu {

// `arguments` are those of cudaLaunchKernel; null if unknown: then the grid decides.
Estimate kernel_estimate(const Roofline& roofline, const KernelShape& shape, const dim3& grid,
                         const dim3& block, void** arguments);

}  // namespace strata::dry_gpu
