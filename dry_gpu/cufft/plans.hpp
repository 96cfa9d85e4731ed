// SPDX-License-Identifier: Apache-2.0
// cuFFT's plans, identified by numbers.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <span>

#pragma GCC visibility push(default)
#include <cufftXt.h>
#pragma GCC visibility pop

#include "dry_gpu/cudart/library_call.hpp"

namespace strata::dry_gpu {

struct Plan {
  bool is_made = false;
  cudaStream_t stream = nullptr;
  std::size_t work_area_bytes = 0;
  bool has_own_work_area = true;  // allocated by cuFFT; if not, by the caller (cufftSetAutoAllocation)
  void* own_work_area = nullptr;
};

// [any thread]
class Plans {
 public:
  cufftHandle create();
  bool destroy(cufftHandle handle);

  // Calls `body(plan)` with the plan of that number; an unknown number is an invalid plan.
  template <typename Body>
  cufftResult with(cufftHandle handle, Body&& body) {
    const std::scoped_lock lock(mutex_);
    const auto plan = plans_.find(handle);
    return plan == plans_.end() ? CUFFT_INVALID_PLAN : body(plan->second);
  }

 private:
  std::mutex mutex_;
  cufftHandle last_ = 0;
  std::map<cufftHandle, Plan> plans_;
};

Plans& plans();

// The size of a transform: `lengths` from the outermost dimension to the innermost.
struct Shape {
  int rank = 0;
  const long long* lengths = nullptr;
  long long batch = 0;
};

// CUFFT_SUCCESS if such a transform exists.
cufftResult check_shape(const Shape& shape);

// The types of a transform's input and output.
struct TransformKind {
  bool is_real = false;  // on one side
  std::size_t complex_bytes = sizeof(cufftComplex);
};

// The work area's size (fitted_sizes.hpp) for a shape accepted by check_shape. Each answer is counted.
cufftResult report_work_area(const Shape& shape, TransformKind kind, std::size_t* bytes);

// A plan can be made once. `bytes` may be null.
cufftResult make(cufftHandle handle, const Shape& shape, TransformKind kind, std::size_t* bytes);

}  // namespace strata::dry_gpu
