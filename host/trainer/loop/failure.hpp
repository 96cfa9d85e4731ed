// SPDX-License-Identifier: Apache-2.0
// What an exception means for the run.
#pragma once

#include <exception>
#include <string>

#include "host/trainer/entry.hpp"

namespace strata::trainer {

struct Failure {
  Outcome outcome = Outcome::kFailed;  // or kOutOfMemory
  std::string message;                 // one line: what happened and what to do
};

// Torch's own errors are cut to their first line, without backtrace.
Failure explain(const std::exception_ptr& exception);

}  // namespace strata::trainer
