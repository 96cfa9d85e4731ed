// SPDX-License-Identifier: Apache-2.0
// Torch's C++ ABI moves between releases without a sign: a virtual function added in the middle of a class
// makes a caller built before it call another one. So this source works with the release it was built for
// alone.
#pragma once

#include <cstdint>
#include <string>

namespace strata::torch_source {

// The release of the libtorch that this process has loaded, as TORCH_ABI_VERSION of torch's version.h.
std::uint64_t loaded_torch_release();

// Why `loaded` cannot be traced, with the remedy; empty when it is the release this file was built for.
std::string release_mismatch(std::uint64_t loaded);

}  // namespace strata::torch_source
