// SPDX-License-Identifier: Apache-2.0
// Tells whose the blocks are in which cuBLAS and cuBLASLt compute: ATen keeps one for each handle, which is
// one a thread, and stream, from the first product on. No operator owns them, and no lifetime explains them.
#pragma once

namespace strata::torch_source {

// [any], not [alloc-lock]. Those that this run was not told of yet. Waits for no lock of torch's: what
// another thread, or this one, is adding at the moment is told the next time. Nothing while CUDA's half of
// torch is not loaded.
void report_cuda_workspaces() noexcept;

}  // namespace strata::torch_source
