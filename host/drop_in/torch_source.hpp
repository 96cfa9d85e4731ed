// SPDX-License-Identifier: Apache-2.0
// Provides the source for the torch loaded by this process.
#pragma once

namespace strata::drop_in {

// Runs `strata build-source` if no file fits the loaded release, and waits for it. It prints its progress and
// errors on standard error. Throws std::runtime_error if it failed.
void build_missing_torch_source();

}  // namespace strata::drop_in
