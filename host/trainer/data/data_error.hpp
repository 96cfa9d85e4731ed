// SPDX-License-Identifier: Apache-2.0
// Training data that cannot be used. The message says which, why, and what to do.
#pragma once

#include <stdexcept>

namespace strata::trainer {

class DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace strata::trainer
