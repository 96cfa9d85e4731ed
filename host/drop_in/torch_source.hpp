// SPDX-License-Identifier: Apache-2.0
// What records the torch that this process has loaded.
#pragma once

namespace strata::drop_in {

// Has `strata build-source` build it where no file fits the release that is loaded, and waits for it. It says
// what it does, and why it cannot, on standard error. Throws std::runtime_error where it could not.
void build_missing_torch_source();

}  // namespace strata::drop_in
