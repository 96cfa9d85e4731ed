// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace strata::analysis {

// A run that cannot be read. The message contains the file, the problem and the remedy.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The run can be read, but does not have the requested rank or device. The message lists those that it has.
class ChoiceError : public RunError {
 public:
  using RunError::RunError;
};

}  // namespace strata::analysis
