// SPDX-License-Identifier: Apache-2.0
// What CUDA's runtime compiler needs of its own: NVRTC itself is the real one, for it asks nothing of a
// device.
#pragma once

namespace strata::dry_gpu {

// NVRTC opens libnvrtc-builtins by its name alone, in whatever folders the process looks. A wheel's lies
// where none of them is, and torch opens it beforehand where it sees CUDA's own runtime among what is mapped:
// here it never is. So the one that lies beside the loaded torch is opened, once; without it nothing changes.
// [any thread]
void open_nvrtc_builtins() noexcept;

}  // namespace strata::dry_gpu
