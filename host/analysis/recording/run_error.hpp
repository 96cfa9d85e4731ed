// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace strata::analysis {

// A run that cannot be read. The message names the file, what is wrong with it, and what to do.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The run can be read, and has not the rank or device that was asked for. The message names those that it
// has.
class ChoiceError : public RunError {
 public:
  using RunError::RunError;
};

}  // namespace strata::analysis
