// SPDX-License-Identifier: Apache-2.0
// What CUDA says of its errors. PyTorch's messages repeat it, and programs search them for it.
#pragma once

#include "dry_gpu/cuda_api.hpp"

namespace strata::dry_gpu {

struct ErrorText {
  int code;
  const char* runtime_name;
  const char* driver_name;  // null where the driver has no such error
  const char* text;
};

// Of a code that this library never returns: a name that says so.
const ErrorText& error_text(int code);

}  // namespace strata::dry_gpu
