// SPDX-License-Identifier: Apache-2.0
// What CUDA's libraries make for programs to own: descriptors and the like.
#pragma once

#include <memory>
#include <new>

namespace strata::dry_gpu {

// `result` gets a new one, as `object` is; it may be of a constant one. Success is zero in each library, and
// no exception leaves any of them.
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
