// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cudnn/dropout.hpp"

using namespace strata::dry_gpu;

namespace {

// A generator of cuRAND's default kind (curandStateXORWOW) for each of 1,024 threads of each multiprocessor.
// Not documented: what an H200 was asked for, 6,488,064 bytes with its 132 multiprocessors.
std::size_t states_bytes_of_device() {
  constexpr std::size_t kGeneratorBytes = 48, kThreads = 1024;
  const MachineState state = machine();
  return state.machine == nullptr ? 0 : kGeneratorBytes * kThreads * state.machine->profile().multiprocessors;
}

// Without a chance to drop anything, no generator is needed.
cudnnStatus_t set(cudnnDropoutDescriptor_t descriptor, cudnnHandle_t handle, float dropout, void* states,
                  std::size_t states_bytes, unsigned long long seed) {
  if (has_null(descriptor, handle) || !(dropout >= 0 && dropout <= 1)) return CUDNN_STATUS_BAD_PARAM;
  if (states != nullptr && states_bytes < states_bytes_of_device())
    return CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT;
  *descriptor = {.dropout = dropout, .states = states, .states_bytes = states_bytes, .seed = seed};
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

cudnnStatus_t cudnnCreateDropoutDescriptor(cudnnDropoutDescriptor_t* result) {
  return create(result);
}
cudnnStatus_t cudnnDestroyDropoutDescriptor(cudnnDropoutDescriptor_t descriptor) {
  return destroy(descriptor);
}

cudnnStatus_t cudnnDropoutGetStatesSize(cudnnHandle_t handle, std::size_t* bytes) {
  if (has_null(handle, bytes)) return CUDNN_STATUS_BAD_PARAM;
  *bytes = states_bytes_of_device();
  return CUDNN_STATUS_SUCCESS;
}

// The states that it would set up are values on the device.
cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t descriptor, cudnnHandle_t handle,
                                        float dropout, void* states, std::size_t states_bytes,
                                        unsigned long long seed) {
  const cudnnStatus_t status = set(descriptor, handle, dropout, states, states_bytes, seed);
  return status == CUDNN_STATUS_SUCCESS && states != nullptr ? compute_nothing(handle, Workspace::kFitted)
                                                             : status;
}

cudnnStatus_t cudnnRestoreDropoutDescriptor(cudnnDropoutDescriptor_t descriptor, cudnnHandle_t handle,
                                            float dropout, void* states, std::size_t states_bytes,
                                            unsigned long long seed) {
  return set(descriptor, handle, dropout, states, states_bytes, seed);
}

cudnnStatus_t cudnnGetDropoutDescriptor(cudnnDropoutDescriptor_t descriptor, cudnnHandle_t handle,
                                        float* dropout, void** states, unsigned long long* seed) {
  if (has_null(descriptor, handle)) return CUDNN_STATUS_BAD_PARAM;
  give(dropout, descriptor->dropout);
  give(states, descriptor->states);
  give(seed, descriptor->seed);
  return CUDNN_STATUS_SUCCESS;
}
