// SPDX-License-Identifier: Apache-2.0
// The code of kernels as nvcc puts it into a program: for which architectures there is any. What it does is
// not looked at.
#pragma once

#include <optional>
#include <vector>

namespace strata::dry_gpu {

// One architecture's code. Architectures are ten times their compute capability: 86 is 8.6.
struct CodeImage {
  enum class Kind { kPtx, kMachineCode };
  Kind kind;
  int architecture;
  bool is_for_it_alone;  // made for sm_90a, not for sm_90: no other device takes it
};

// As cudaFuncAttributes tells them.
struct CodeVersion {
  int binary_version, ptx_version;
};

// Of what a program hands to __cudaRegisterFatBinary, which has CUDA's `__fatBinC_Wrapper_t` (version 1) of
// fatbinary_section.h in front. Empty: it is none, or none that is known.
std::vector<CodeImage> code_images(const void* fat_binary);

// Which of them a device runs: machine code of its major version, the latest up to its minor one; else PTX up
// to its version, compiled for it. Nothing: none, and a launch fails on it. (CUDA C++ Programming Guide,
// "Binary Compatibility" and "PTX Compatibility".)
std::optional<CodeVersion> code_for(const std::vector<CodeImage>& images, int architecture);

}  // namespace strata::dry_gpu
