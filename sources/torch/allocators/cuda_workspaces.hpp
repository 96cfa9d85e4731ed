// SPDX-License-Identifier: Apache-2.0
// Tells whose the blocks are in which cuBLAS and cuBLASLt compute: ATen keeps one for each handle, which is
// one a thread, and stream, from the first product on. No operator owns them, and no lifetime explains them.
#pragma once

#include <cstdint>
#include <set>

namespace strata::torch_source {

class CudaWorkspaces {
 public:
  // [driver] Those that were not told of yet. Nothing while CUDA's half of torch is not loaded.
  void tell();

 private:
  std::set<std::uint64_t> told_;  // addresses
};

}  // namespace strata::torch_source
