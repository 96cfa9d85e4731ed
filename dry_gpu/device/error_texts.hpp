// SPDX-License-Identifier: Apache-2.0
// CUDA's texts for its errors. PyTorch's messages repeat them, and programs search for them.
#pragma once

#include "dry_gpu/cuda_api.hpp"

namespace strata::dry_gpu {

struct ErrorText {
  int code;
  const char* runtime_name;
  const char* driver_name;  // null if the driver has no such error
  const char* text;
};

// For a code that this library never returns: a name that says so.
const ErrorText& error_text(int code);

}  // namespace strata::dry_gpu
