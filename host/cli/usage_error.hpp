// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace strata::cli {

// The user asked for something impossible; the message says what to do instead. Exit code kUsage.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace strata::cli
