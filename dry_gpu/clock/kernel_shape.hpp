// SPDX-License-Identifier: Apache-2.0
// What the mangled name of one of ATen's kernels tells of the bytes that it moves.
#pragma once

#include <cstdint>
#include <string_view>

namespace strata::dry_gpu {

struct KernelShape {
  enum class Kind {
    kElementwise,  // TensorIterator's kernels: their first argument is how many elements there are
    kForeach,      // multi_tensor_apply: its first argument lists tensors and chunks of them
    kOther,
  };

  Kind kind = Kind::kOther;
  std::uint32_t tensors = 0;        // that an element is read from or written to
  std::uint32_t element_bytes = 4;  // of the first type that the operation names
  std::uint32_t count_bytes = 4;    // of the first argument of kElementwise

  // What the list of kForeach holds behind the lengths of its tensors.
  enum class List { kBlocks, kStepsThenBlocks, kOther };
  List list = List::kOther;
};

KernelShape kernel_shape(std::string_view mangled);

}  // namespace strata::dry_gpu
