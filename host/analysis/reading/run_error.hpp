// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace strata::analysis {

// A run that cannot be read. The message names the file, what is wrong with it, and what to do.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace strata::analysis
