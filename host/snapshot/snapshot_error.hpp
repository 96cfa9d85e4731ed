// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace strata::snapshot {

// A file that is no snapshot, is damaged, or contains code. The message contains the file, the place and the
// remedy.
class SnapshotError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace strata::snapshot
