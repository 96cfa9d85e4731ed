// SPDX-License-Identifier: Apache-2.0
// Support for CUDA's runtime compiler: NVRTC itself is the real one, because it does not need a device.
#pragma once

namespace strata::dry_gpu {

// NVRTC opens libnvrtc-builtins by name only, in the folders that the process searches. A wheel's copy is in
// none of them. torch opens it beforehand if it sees CUDA's own runtime among the mapped files, which is
// never the case here. So this opens the copy next to the loaded torch, once; without one it has no effect.
// [any thread]
void open_nvrtc_builtins() noexcept;

}  // namespace strata::dry_gpu
