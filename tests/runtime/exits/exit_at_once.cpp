// SPDX-License-Identifier: Apache-2.0
// _exit(): nothing of the process runs any more.
#include <unistd.h>

#include "tests/runtime/exits/exit_case.hpp"

int main(int, char** argv) {
  strata::Session session(strata::exit_case_options(argv));
  strata::run_into_step_two(session);
  _exit(3);
}
