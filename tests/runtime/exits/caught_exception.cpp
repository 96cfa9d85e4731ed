// SPDX-License-Identifier: Apache-2.0
// An exception unwinds the stack through the session and is caught in main.
#include <stdexcept>

#include "tests/runtime/exits/exit_case.hpp"

int main(int, char** argv) {
  try {
    strata::Session session(strata::exit_case_options(argv));
    strata::run_into_step_two(session);
    throw std::runtime_error("loss is not a number");
  } catch (const std::runtime_error&) {
    return 1;
  }
}
