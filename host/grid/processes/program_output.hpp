// SPDX-License-Identifier: Apache-2.0
// What a short program says.
#pragma once

#include <string>
#include <vector>

namespace strata::grid {

struct ProgramOutput {
  int exit_code = 0;  // 127: there is no such program in PATH; 128 + the signal that ended it
  std::string output, error;

  bool is_well() const { return exit_code == 0; }
};

// Runs it to its end, without input. Throws std::system_error where there can be no process.
ProgramOutput output_of(const std::vector<std::string>& words);

}  // namespace strata::grid
