// SPDX-License-Identifier: Apache-2.0
// The GPU driver of this machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace strata::cli {

struct CudaDriver {
  std::string cuda_version;          // the version it supports: "13.0"
  std::vector<std::string> devices;  // their names
  std::string problem;               // why there are no devices, if so
};

// Opens and queries libcuda.so.1. Empty if there is no driver, or it does not respond.
std::optional<CudaDriver> ask_cuda_driver();

// Whether the kernel knows a GPU, without opening its driver: a process that will use the dry GPU must not
// open it.
bool has_nvidia_gpu();

// Throws UsageError with the alternatives if there is no device of that number.
void require_gpu(std::int64_t index);

}  // namespace strata::cli
