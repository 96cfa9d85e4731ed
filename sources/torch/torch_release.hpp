// SPDX-License-Identifier: Apache-2.0
// Torch's C++ ABI changes between releases without notice: a virtual function added in the middle of a class
// makes callers built before call a different one. So this source only works with the release that it was
// built for.
#pragma once

#include <cstdint>
#include <string>

namespace strata::torch_source {

// The release of the loaded libtorch, as TORCH_ABI_VERSION of torch's version.h.
std::uint64_t loaded_torch_release();

// Why `loaded` cannot be traced, with the remedy; empty if it is the release this file was built for.
std::string release_mismatch(std::uint64_t loaded);

}  // namespace strata::torch_source
