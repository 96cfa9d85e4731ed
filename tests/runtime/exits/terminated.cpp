// SPDX-License-Identifier: Apache-2.0
// SIGTERM with its default action: the kernel ends the process.
#include <csignal>

#include "tests/runtime/exits/exit_case.hpp"

int main(int, char** argv) {
  strata::Session session(strata::exit_case_options(argv));
  strata::run_into_step_two(session);
  std::raise(SIGTERM);
  return 0;
}
