// SPDX-License-Identifier: Apache-2.0
// Identifies the workspaces of cuBLAS and cuBLASLt: ATen keeps one per handle (one per thread) and stream,
// from the first product on. No operator owns these blocks, and their lifetimes do not explain them.
#pragma once

namespace strata::torch_source {

// [any], not [alloc-lock]. Reports the workspaces not yet reported in this run. Does not wait for torch's
// locks: one that this or another thread is just adding is reported next time. No effect if torch's CUDA half
// is not loaded.
void report_cuda_workspaces() noexcept;

}  // namespace strata::torch_source
