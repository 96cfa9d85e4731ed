// SPDX-License-Identifier: Apache-2.0
// main returns while a session that is never destroyed is in a run:
//   1. main returns, which calls exit()
//   2. the session's exit handler runs, before the destructors of earlier static objects
//   3. the process ends; no destructor of the session runs
#include "tests/runtime/exits/exit_case.hpp"

int main(int, char** argv) {
  static auto& session = *new strata::Session(strata::exit_case_options(argv));
  strata::run_into_step_two(session);
  return 0;
}
