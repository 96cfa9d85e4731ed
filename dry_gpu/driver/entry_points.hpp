// SPDX-License-Identifier: Apache-2.0
// The driver's functions by name, for programs that ask for them at run time: c10, NVRTC, Triton.
#pragma once

#include <initializer_list>
#include <string_view>

namespace strata::dry_gpu {

struct EntryPoint {
  std::string_view name;  // without its version
  int since;              // CUDA version, 12030 for 12.3, from which on the name means this function
  int (*function)();
};

// Sorted by name, then by version. Written by the build.
const std::initializer_list<EntryPoint>& entry_points();

// What the name means to a program that was built for this version of CUDA; null: nothing.
void* entry_point(std::string_view name, int version);

}  // namespace strata::dry_gpu
