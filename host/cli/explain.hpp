// SPDX-License-Identifier: Apache-2.0
// What a failed command tells its user.
#pragma once

namespace strata::cli {

// In a catch block: says on standard error what was thrown, and returns the exit code for it.
int explain_current_exception();

}  // namespace strata::cli
