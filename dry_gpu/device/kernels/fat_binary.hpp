// SPDX-License-Identifier: Apache-2.0
// The kernel code that nvcc puts into a program: for which architectures it exists. The code itself is not
// inspected.
#pragma once

#include <optional>
#include <vector>

namespace strata::dry_gpu {

// The code for one architecture. Architectures are ten times their compute capability: 86 is 8.6.
struct CodeImage {
  enum class Kind { kPtx, kMachineCode };
  Kind kind;
  int architecture;
  bool is_for_it_alone;  // made for sm_90a instead of sm_90: no other device accepts it
};

// The versions reported in cudaFuncAttributes.
struct CodeVersion {
  int binary_version, ptx_version;
};

// For the argument of __cudaRegisterFatBinary, which begins with CUDA's `__fatBinC_Wrapper_t` (version 1) of
// fatbinary_section.h. Empty if it has another or an unknown format.
std::vector<CodeImage> code_images(const void* fat_binary);

// The code that a device runs: machine code for its major version, the latest up to its minor one; else PTX
// up to its version, compiled for it. Empty if there is none: then a launch fails. (CUDA C++ Programming
// Guide, "Binary Compatibility" and "PTX Compatibility".)
std::optional<CodeVersion> code_for(const std::vector<CodeImage>& images, int architecture);

}  // namespace strata::dry_gpu
