// SPDX-License-Identifier: Apache-2.0
// Proof, before a run, that this torch sends what the source is built on.
#pragma once

#include <string>

namespace strata::torch_source {

// [loop-thread] Allocates a tensor of a known size under the traced allocator and expects its allocation and
// its free. Returns what was missing, or empty. No host may be connected; leaves everything as it was.
std::string self_check();

}  // namespace strata::torch_source
