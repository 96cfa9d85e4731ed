// SPDX-License-Identifier: Apache-2.0
// The contents of a dropout descriptor.
#pragma once

#include "dry_gpu/cudnn/call.hpp"

struct cudnnDropoutStruct {
  float dropout = 0;
  void* states = nullptr;  // of the random number generators, on the device
  std::size_t states_bytes = 0;
  unsigned long long seed = 0;
};
