// SPDX-License-Identifier: Apache-2.0
// The session is a static object of the program:
//   1. it is constructed, which registers its exit handler; its destructor is registered only afterwards
//   2. exit() runs them in reverse: first the destructor, which ends the run as failed, then the handler,
//      which finds nothing left to do
#include "tests/runtime/exits/exit_case.hpp"

int main(int, char** argv) {
  static strata::Session session(strata::exit_case_options(argv));
  strata::run_into_step_two(session);
  return 0;
}
