// SPDX-License-Identifier: Apache-2.0
// Error messages of a failed command.
#pragma once

namespace strata::cli {

// In a catch block: prints the exception to standard error, and returns its exit code.
int explain_current_exception();

}  // namespace strata::cli
