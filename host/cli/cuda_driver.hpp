// SPDX-License-Identifier: Apache-2.0
// The GPU driver of this machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace strata::cli {

struct CudaDriver {
  std::string cuda_version;          // that it is for: "13.0"
  std::vector<std::string> devices;  // their names
  std::string problem;               // why there is none, if so
};

// Opens libcuda.so.1 and asks it. Nothing where there is no driver, or none that answers like one.
std::optional<CudaDriver> ask_cuda_driver();

// Whether the kernel knows a GPU, without opening its driver: a process that is to use the dry GPU must not.
bool has_nvidia_gpu();

// Throws UsageError, with what to do without one, unless there is a device of that number.
void require_gpu(std::int64_t index);

}  // namespace strata::cli
