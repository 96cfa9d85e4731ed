// SPDX-License-Identifier: Apache-2.0
// A function deep in the loop calls exit(): the stack is not unwound, so the session is not
// destroyed.
#include <cstdlib>

#include "tests/runtime/exits/exit_case.hpp"

int main(int, char** argv) {
  strata::Session session(strata::exit_case_options(argv));
  strata::run_into_step_two(session);
  std::exit(3);
}
