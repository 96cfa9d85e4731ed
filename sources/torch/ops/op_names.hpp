// SPDX-License-Identifier: Apache-2.0
// Interned operator names, cached per thread: a name that a thread has seen before costs a hash and a
// comparison, no lock and no allocation. A thread's first op allocates the table.
#pragma once

#include <cstdint>

#include "sources/torch/host/host_link.hpp"

namespace strata::torch_source {

// [any] not [alloc-lock]. `text` is NUL-terminated and need not outlive the call.
strata_name interned_op_name(const Emission& emission, const char* text);

}  // namespace strata::torch_source
