// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cufft/plans.hpp"

#include <algorithm>

#include "dry_gpu/library_version.hpp"

namespace strata::dry_gpu {

cufftHandle Plans::create() {
  const std::scoped_lock lock(mutex_);
  plans_.emplace(++last_, Plan{});
  return last_;
}

bool Plans::destroy(cufftHandle handle) {
  const std::scoped_lock lock(mutex_);
  return plans_.erase(handle) == 1;
}

// Never destroyed: programs call CUDA from their static destructors.
Plans& plans() {
  static Plans& only = *new Plans;  // NOLINT(cppcoreguidelines-owning-memory)
  return only;
}

cufftResult check_shape(int rank, const long long* lengths, long long batch) {
  if (rank < 1 || rank > 3 || lengths == nullptr) return CUFFT_INVALID_VALUE;
  const std::span<const long long> all(lengths, static_cast<std::size_t>(rank));
  if (batch < 1 || std::ranges::any_of(all, [](long long length) { return length < 1; }))
    return CUFFT_INVALID_SIZE;
  return CUFFT_SUCCESS;
}

cufftResult tell_work_area(std::size_t* bytes) {
  const MachineState state = machine();
  if (state.machine == nullptr) return CUFFT_SETUP_FAILED;
  state.machine->counts().unknown_workspaces.add();
  if (bytes != nullptr) *bytes = 0;
  return CUFFT_SUCCESS;
}

cufftResult make(cufftHandle handle, int rank, const long long* lengths, long long batch,
                 std::size_t* bytes) {
  return plans().with(handle, [&](Plan& plan) {
    if (plan.is_made) return CUFFT_INVALID_PLAN;
    if (const cufftResult result = check_shape(rank, lengths, batch); result != CUFFT_SUCCESS) return result;
    if (const cufftResult result = tell_work_area(bytes); result != CUFFT_SUCCESS) return result;
    plan.is_made = true;
    return CUFFT_SUCCESS;
  });
}

}  // namespace strata::dry_gpu

using namespace strata::dry_gpu;

cufftResult cufftCreate(cufftHandle* result) {
  if (result == nullptr) return CUFFT_INVALID_VALUE;
  return make_handle<CUFFT_ALLOC_FAILED, CUFFT_SETUP_FAILED>([&](int) { *result = plans().create(); });
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

// Whose the work area is makes no difference to one of no bytes. Before the plan is made.
cufftResult cufftSetAutoAllocation(cufftHandle handle, int) {
  return plans().with(handle,
                      [](const Plan& plan) { return plan.is_made ? CUFFT_INVALID_PLAN : CUFFT_SUCCESS; });
}

cufftResult cufftSetWorkArea(cufftHandle handle, void*) {
  return plans().with(handle,
                      [](const Plan& plan) { return plan.is_made ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; });
}

// Of a plan that is made: what its making said already, and counted.
cufftResult cufftGetSize(cufftHandle handle, std::size_t* bytes) {
  return plans().with(handle, [&](const Plan& plan) {
    if (!plan.is_made) return CUFFT_INVALID_PLAN;
    if (bytes == nullptr) return CUFFT_INVALID_VALUE;
    *bytes = 0;
    return CUFFT_SUCCESS;
  });
}
