// SPDX-License-Identifier: Apache-2.0
// The output of a short program.
#pragma once

#include <string>
#include <vector>

namespace strata::grid {

struct ProgramOutput {
  int exit_code = 0;  // 127: not found in PATH; 128 + the signal that ended it
  std::string output, error;

  bool is_well() const { return exit_code == 0; }
};

// Runs it to its end, without input. Throws std::system_error if no process can be created.
ProgramOutput output_of(const std::vector<std::string>& words);

}  // namespace strata::grid
