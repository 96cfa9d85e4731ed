// SPDX-License-Identifier: Apache-2.0
// The convolution in an operation graph of cuDNN's graph interface.
#pragma once

#include <optional>

#include "dry_gpu/cudnn/backend.hpp"
#include "dry_gpu/cudnn/real/splits.hpp"

namespace strata::dry_gpu {

// [any thread] Empty if the graph is not exactly one convolution, or one with groups.
std::optional<real_cudnn::ConvolutionShape> convolution_shape(const BackendContents& graph);

// [any thread] Whether it is the 16-bit gradient of a filter with groups. For it cuDNN lists engines on
// tensor cores first that an H200 chose in none of the measured cases (docs/decisions/033).
bool is_gradient_of_groups_in_16_bits(const BackendContents& graph);

}  // namespace strata::dry_gpu
