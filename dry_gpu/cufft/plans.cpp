// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cufft/plans.hpp"

#include <algorithm>

#include "dry_gpu/cufft/fitted_sizes.hpp"
#include "dry_gpu/library_version.hpp"

namespace strata::dry_gpu {

cufftHandle Plans::create() {
  const std::scoped_lock lock(mutex_);
  plans_.emplace(++last_, Plan{});
  return last_;
}

bool Plans::destroy(cufftHandle handle) {
  void* work_area = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    const auto plan = plans_.find(handle);
    if (plan == plans_.end()) return false;
    work_area = plan->second.own_work_area;
    plans_.erase(plan);
  }
  cudaFree(work_area);
  return true;
}

// Never destroyed: programs call CUDA from their static destructors.
Plans& plans() {
  static Plans& only = *new Plans;  // NOLINT(cppcoreguidelines-owning-memory)
  return only;
}

cufftResult check_shape(const Shape& shape) {
  if (shape.rank < 1 || shape.rank > 3 || shape.lengths == nullptr) return CUFFT_INVALID_VALUE;
  const std::span<const long long> all(shape.lengths, static_cast<std::size_t>(shape.rank));
  if (shape.batch < 1 || std::ranges::any_of(all, [](long long length) { return length < 1; }))
    return CUFFT_INVALID_SIZE;
  return CUFFT_SUCCESS;
}

cufftResult report_work_area(const Shape& shape, TransformKind kind, std::size_t* bytes) {
  const MachineState state = machine();
  if (state.machine == nullptr) return CUFFT_SETUP_FAILED;
  count_workspace(state.machine->counts(), Workspace::kFitted);
  *bytes = fitted::work_area_bytes({.lengths = {shape.lengths, static_cast<std::size_t>(shape.rank)},
                                    .batch = shape.batch,
                                    .is_real = kind.is_real,
                                    .complex_bytes = kind.complex_bytes},
                                   state.machine->profile().shared_bytes_per_block_optin);
  return CUFFT_SUCCESS;
}

cufftResult make(cufftHandle handle, const Shape& shape, TransformKind kind, std::size_t* bytes) {
  return plans().with(handle, [&](Plan& plan) {
    if (plan.is_made) return CUFFT_INVALID_PLAN;
    if (const cufftResult result = check_shape(shape); result != CUFFT_SUCCESS) return result;
    std::size_t needed = 0;
    if (const cufftResult result = report_work_area(shape, kind, &needed); result != CUFFT_SUCCESS)
      return result;
    if (plan.has_own_work_area && needed > 0 && cudaMalloc(&plan.own_work_area, needed) != cudaSuccess)
      return CUFFT_ALLOC_FAILED;
    plan.work_area_bytes = needed;
    plan.is_made = true;
    if (bytes != nullptr) *bytes = needed;
    return CUFFT_SUCCESS;
  });
}

}  // namespace strata::dry_gpu

using namespace strata::dry_gpu;

cufftResult cufftCreate(cufftHandle* result) {
  if (result == nullptr) return CUFFT_INVALID_VALUE;
  return make_handle<CUFFT_ALLOC_FAILED, CUFFT_SETUP_FAILED>(ContextPart::kCufft,
                                                             [&](int) { *result = plans().create(); });
}

cufftResult cufftDestroy(cufftHandle handle) {
  return plans().destroy(handle) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftGetVersion(int* version) {
  if (version == nullptr) return CUFFT_INVALID_VALUE;
  *version = CUFFT_VERSION;
  return CUFFT_SUCCESS;
}

cufftResult cufftGetProperty(libraryPropertyType type, int* value) {
  const std::optional<int> part = version_part(type, {CUFFT_VER_MAJOR, CUFFT_VER_MINOR, CUFFT_VER_PATCH});
  if (value == nullptr || !part) return CUFFT_INVALID_VALUE;
  *value = *part;
  return CUFFT_SUCCESS;
}

cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
  return plans().with(handle, [&](Plan& plan) {
    plan.stream = stream;
    return CUFFT_SUCCESS;
  });
}

// Before the plan is made.
cufftResult cufftSetAutoAllocation(cufftHandle handle, int allocates) {
  return plans().with(handle, [&](Plan& plan) {
    if (plan.is_made) return CUFFT_INVALID_PLAN;
    plan.has_own_work_area = allocates != 0;
    return CUFFT_SUCCESS;
  });
}

cufftResult cufftSetWorkArea(cufftHandle handle, void*) {
  return plans().with(handle,
                      [](const Plan& plan) { return plan.is_made ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; });
}

// For a made plan: the size already reported and counted when it was made.
cufftResult cufftGetSize(cufftHandle handle, std::size_t* bytes) {
  return plans().with(handle, [&](const Plan& plan) {
    if (!plan.is_made) return CUFFT_INVALID_PLAN;
    if (bytes == nullptr) return CUFFT_INVALID_VALUE;
    *bytes = plan.work_area_bytes;
    return CUFFT_SUCCESS;
  });
}
