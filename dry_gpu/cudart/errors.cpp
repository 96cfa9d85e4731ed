// SPDX-License-Identifier: Apache-2.0
// Errors: their names, their texts, and the last one of each thread.
#include "dry_gpu/cudart/call.hpp"
#include "dry_gpu/device/error_texts.hpp"

using namespace strata::dry_gpu;

const char* cudaGetErrorName(cudaError_t error) {
  return error_text(error).runtime_name;
}
const char* cudaGetErrorString(cudaError_t error) {
  return error_text(error).text;
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = this_thread().last_error;
  this_thread().last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() {
  return this_thread().last_error;
}
