// SPDX-License-Identifier: Apache-2.0
// A checkpoint that cannot be written, read, or gone on with. The message says which, why, and what to do.
#pragma once

#include <stdexcept>

namespace strata::trainer {

class CheckpointError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace strata::trainer
