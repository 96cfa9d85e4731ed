// SPDX-License-Identifier: Apache-2.0
// What an operation graph of cuDNN's graph interface says of the one convolution that it is.
#pragma once

#include <optional>

#include "dry_gpu/cudnn/backend.hpp"
#include "dry_gpu/cudnn/real/splits.hpp"

namespace strata::dry_gpu {

// [any thread] Nothing: it is something else, more than that, or a convolution in groups.
std::optional<real_cudnn::ConvolutionShape> convolution_shape(const BackendContents& graph);

// [any thread] Whether it is the gradient of a filter in groups, in 16 bits: cuDNN names engines for it
// first, on tensor cores, that an H200 takes for none of the measured ones (docs/decisions/033).
bool is_gradient_of_groups_in_16_bits(const BackendContents& graph);

}  // namespace strata::dry_gpu
