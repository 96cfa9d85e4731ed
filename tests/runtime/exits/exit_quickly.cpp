// SPDX-License-Identifier: Apache-2.0
// quick_exit(): neither exit handlers nor destructors run.
#include <cstdlib>

#include "tests/runtime/exits/exit_case.hpp"

int main(int, char** argv) {
  strata::Session session(strata::exit_case_options(argv));
  strata::run_into_step_two(session);
  std::quick_exit(3);
}
