// SPDX-License-Identifier: Apache-2.0
// cuSOLVER's handles, their settings, and parameters of its 64-bit functions. The first handle takes
// cuSOLVER's part of the context.
#include <array>
#include <memory>

#include "dry_gpu/cusolver/call.hpp"
#include "dry_gpu/library_object.hpp"
#include "dry_gpu/library_version.hpp"

using namespace strata::dry_gpu;

struct cusolverDnParams {
  std::array<cusolverAlgMode_t, 3> algorithms{};  // by cusolverDnFunction_t
};

namespace {

template <typename Setting>
cusolverStatus_t set(cusolverDnHandle_t handle, Setting cusolverDnContext::*setting, Setting value) {
  return call_cusolver(handle, [&](cusolverDnContext& context) { context.*setting = value; });
}

template <typename Setting>
cusolverStatus_t get(cusolverDnHandle_t handle, Setting cusolverDnContext::*setting, Setting* value) {
  return call_cusolver(handle, [&](cusolverDnContext& context) {
    if (value == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
    *value = context.*setting;
    return CUSOLVER_STATUS_SUCCESS;
  });
}

}  // namespace

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* result) {
  if (result == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  return make_handle<CUSOLVER_STATUS_ALLOC_FAILED, CUSOLVER_STATUS_NOT_INITIALIZED>(
      ContextPart::kCusolver, [&](int device) {
        *result = std::make_unique<cusolverDnContext>(cusolverDnContext{.device = device}).release();
      });
}

cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  const std::unique_ptr<cusolverDnContext> owned(handle);
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverGetVersion(int* version) {
  if (version == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *version = CUSOLVER_VERSION;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverGetProperty(libraryPropertyType type, int* value) {
  const std::optional<int> part =
      version_part(type, {CUSOLVER_VER_MAJOR, CUSOLVER_VER_MINOR, CUSOLVER_VER_PATCH});
  if (value == nullptr || !part) return CUSOLVER_STATUS_INVALID_VALUE;
  *value = *part;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  return set(handle, &cusolverDnContext::stream, stream);
}

cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t* stream) {
  return get(handle, &cusolverDnContext::stream, stream);
}

cusolverStatus_t cusolverDnSetDeterministicMode(cusolverDnHandle_t handle, cusolverDeterministicMode_t mode) {
  return set(handle, &cusolverDnContext::deterministic_mode, mode);
}

cusolverStatus_t cusolverDnGetDeterministicMode(cusolverDnHandle_t handle,
                                                cusolverDeterministicMode_t* mode) {
  return get(handle, &cusolverDnContext::deterministic_mode, mode);
}

cusolverStatus_t cusolverDnSetMathMode(cusolverDnHandle_t handle, cusolverMathMode_t mode) {
  return set(handle, &cusolverDnContext::math_mode, mode);
}

cusolverStatus_t cusolverDnGetMathMode(cusolverDnHandle_t handle, cusolverMathMode_t* mode) {
  return get(handle, &cusolverDnContext::math_mode, mode);
}

cusolverStatus_t cusolverDnSetEmulationStrategy(cusolverDnHandle_t handle, cudaEmulationStrategy_t strategy) {
  return set(handle, &cusolverDnContext::emulation_strategy, strategy);
}

cusolverStatus_t cusolverDnGetEmulationStrategy(cusolverDnHandle_t handle,
                                                cudaEmulationStrategy_t* strategy) {
  return get(handle, &cusolverDnContext::emulation_strategy, strategy);
}

cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* result) {
  if (result == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  return give_new<CUSOLVER_STATUS_ALLOC_FAILED, cusolverDnParams>(result);
}

cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t parameters) {
  const std::unique_ptr<cusolverDnParams> owned(parameters);
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t parameters, cusolverDnFunction_t function,
                                         cusolverAlgMode_t algorithm) {
  const auto index = static_cast<std::size_t>(function);
  if (parameters == nullptr || index >= parameters->algorithms.size()) return CUSOLVER_STATUS_INVALID_VALUE;
  parameters->algorithms[index] = algorithm;
  return CUSOLVER_STATUS_SUCCESS;
}
