// SPDX-License-Identifier: Apache-2.0
// Objects that CUDA's libraries create and programs own: descriptors and the like.
#pragma once

#include <memory>
#include <new>

namespace strata::dry_gpu {

// Sets `result` to a new copy of `object`; it may point to a constant type. Success is zero in each library,
// and no exception leaves any of them.
template <auto kNoMemory, typename Object, typename Result>
decltype(kNoMemory) give_new(Result* result, const Object& object = {}) noexcept {
  try {
    *result = std::make_unique<Object>(object).release();
    return decltype(kNoMemory){};
  } catch (const std::bad_alloc&) {
    return kNoMemory;
  }
}

}  // namespace strata::dry_gpu
