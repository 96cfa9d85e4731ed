// SPDX-License-Identifier: Apache-2.0
// Derives from the mangled name of an ATen kernel how many bytes it moves.
#pragma once

#include <cstdint>
#include <string_view>

namespace strata::dry_gpu {

struct KernelShape {
  enum class Kind {
    kElementwise,  // TensorIterator's kernels: the first argument is the number of elements
    kForeach,      // multi_tensor_apply: the first argument lists tensors and their chunks
    kOther,
  };

  Kind kind = Kind::kOther;
  std::uint32_t tensors = 0;        // tensors read or written per element
  std::uint32_t element_bytes = 4;  // of the first type named in the operation
  std::uint32_t count_bytes = 4;    // size of the first argument of kElementwise

  // What follows the tensor lengths in the list of kForeach.
  enum class List { kBlocks, kStepsThenBlocks, kOther };
  List list = List::kOther;
};

KernelShape kernel_shape(std::string_view mangled);

}  // namespace strata::dry_gpu
